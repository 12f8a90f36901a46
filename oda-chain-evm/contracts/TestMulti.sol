// SPDX-License-Identifier: MIT OR Apache-2.0
pragma solidity 0.8.37;

/// @title Many tokens in one contract, for tests: the part of ERC-1155 that approvals need.
/// @notice Anybody may mint. Refusals are the custom errors of ERC-6093.
contract TestMulti {
    mapping(address account => mapping(uint256 id => uint256)) private _balances;

    /// @notice Whether `operator` may move everything that `account` holds, now and later.
    mapping(address account => mapping(address operator => bool)) public isApprovedForAll;

    event TransferSingle(
        address indexed operator,
        address indexed from,
        address indexed to,
        uint256 id,
        uint256 value
    );
    event ApprovalForAll(address indexed account, address indexed operator, bool approved);

    error ERC1155InsufficientBalance(address sender, uint256 balance, uint256 needed, uint256 tokenId);
    error ERC1155InvalidReceiver(address receiver);
    error ERC1155MissingApprovalForAll(address operator, address owner);
    error ERC1155InvalidOperator(address operator);

    function supportsInterface(bytes4 id) external pure returns (bool) {
        // ERC-165 and ERC-1155, of which batches and the receiver's consent are left out.
        return id == 0x01ffc9a7 || id == 0xd9b67a26;
    }

    function balanceOf(address account, uint256 id) external view returns (uint256) {
        return _balances[account][id];
    }

    function mint(address to, uint256 id, uint256 value) external {
        if (to == address(0)) revert ERC1155InvalidReceiver(to);
        _balances[to][id] += value;
        emit TransferSingle(msg.sender, address(0), to, id, value);
    }

    function setApprovalForAll(address operator, bool approved) external {
        if (operator == address(0)) revert ERC1155InvalidOperator(operator);
        isApprovedForAll[msg.sender][operator] = approved;
        emit ApprovalForAll(msg.sender, operator, approved);
    }

    /// @dev The last argument is what ERC-1155 hands to a receiver contract; no receiver is called here.
    function safeTransferFrom(address from, address to, uint256 id, uint256 value, bytes calldata /* data */) external {
        if (to == address(0)) revert ERC1155InvalidReceiver(to);
        if (from != msg.sender && !isApprovedForAll[from][msg.sender]) {
            revert ERC1155MissingApprovalForAll(msg.sender, from);
        }
        uint256 held = _balances[from][id];
        if (held < value) revert ERC1155InsufficientBalance(from, held, value, id);
        _balances[from][id] = held - value;
        _balances[to][id] += value;
        emit TransferSingle(msg.sender, from, to, id, value);
    }
}
