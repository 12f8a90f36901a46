// SPDX-License-Identifier: MIT OR Apache-2.0
pragma solidity 0.8.37;

/// @dev What a contract that owns funds answers about a signature (ERC-1271).
interface ISignatureJudge {
    function isValidSignature(bytes32 digest, bytes calldata signature) external view returns (bytes4);
}

/// @title A token for tests and demos: ERC-20 with signed transfers (EIP-3009).
/// @notice Anybody may mint. Never deploy it where its balances could be taken for money.
/// @dev Its signed-transfer surface and its EIP-712 domain (name, version "1", chain id, contract)
/// have the shape that dollar stablecoins deploy, so that payment code can be tried against it.
/// Every refusal is a reason string, `Error(string)`; the sibling contracts use custom errors, so
/// that between them a decoder of revert data meets both forms.
contract TestToken {
    string public name;
    string public symbol;
    uint8 public decimals;
    string public constant version = "1";

    uint256 public totalSupply;
    mapping(address holder => uint256) public balanceOf;
    mapping(address holder => mapping(address spender => uint256)) public allowance;

    /// @notice Whether an authorizer has used, or cancelled, a nonce.
    mapping(address authorizer => mapping(bytes32 nonce => bool)) public authorizationState;

    bytes32 public constant TRANSFER_WITH_AUTHORIZATION_TYPEHASH =
        keccak256(
            "TransferWithAuthorization(address from,address to,uint256 value,uint256 validAfter,uint256 validBefore,bytes32 nonce)"
        );
    bytes32 public constant RECEIVE_WITH_AUTHORIZATION_TYPEHASH =
        keccak256(
            "ReceiveWithAuthorization(address from,address to,uint256 value,uint256 validAfter,uint256 validBefore,bytes32 nonce)"
        );
    bytes32 public constant CANCEL_AUTHORIZATION_TYPEHASH =
        keccak256("CancelAuthorization(address authorizer,bytes32 nonce)");

    bytes32 private constant DOMAIN_TYPEHASH =
        keccak256("EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)");

    /// @dev Half the order of secp256k1: above it lies the second, malleable form of a signature.
    uint256 private constant MAX_S = 0x7FFFFFFFFFFFFFFFFFFFFFFFFFFFFFFF5D576E7357A4501DDFE92F46681B20A0;

    event Transfer(address indexed from, address indexed to, uint256 value);
    event Approval(address indexed owner, address indexed spender, uint256 value);
    event AuthorizationUsed(address indexed authorizer, bytes32 indexed nonce);
    event AuthorizationCanceled(address indexed authorizer, bytes32 indexed nonce);

    constructor(string memory name_, string memory symbol_, uint8 decimals_, address holder, uint256 supply) {
        name = name_;
        symbol = symbol_;
        decimals = decimals_;
        if (supply > 0) _mint(holder, supply);
    }

    // ERC-20

    function transfer(address to, uint256 value) external returns (bool) {
        _transfer(msg.sender, to, value);
        return true;
    }

    function approve(address spender, uint256 value) external returns (bool) {
        require(spender != address(0), "TestToken: approve to the zero address");
        allowance[msg.sender][spender] = value;
        emit Approval(msg.sender, spender, value);
        return true;
    }

    /// @notice An allowance of 2^256 - 1 is not used up.
    function transferFrom(address from, address to, uint256 value) external returns (bool) {
        uint256 allowed = allowance[from][msg.sender];
        if (allowed != type(uint256).max) {
            require(allowed >= value, "TestToken: transfer amount exceeds allowance");
            allowance[from][msg.sender] = allowed - value;
        }
        _transfer(from, to, value);
        return true;
    }

    /// @notice Open to everybody: this is what makes it a test token.
    function mint(address to, uint256 value) external {
        _mint(to, value);
    }

    // EIP-3009

    /// @notice The EIP-712 domain separator on the chain that runs the call, also after a fork.
    function DOMAIN_SEPARATOR() public view returns (bytes32) {
        return
            keccak256(
                abi.encode(
                    DOMAIN_TYPEHASH,
                    keccak256(bytes(name)),
                    keccak256(bytes(version)),
                    block.chainid,
                    address(this)
                )
            );
    }

    function transferWithAuthorization(
        address from,
        address to,
        uint256 value,
        uint256 validAfter,
        uint256 validBefore,
        bytes32 nonce,
        uint8 v,
        bytes32 r,
        bytes32 s
    ) external {
        transferWithAuthorization(from, to, value, validAfter, validBefore, nonce, abi.encodePacked(r, s, v));
    }

    /// @dev The form that takes a packed signature, which a contract wallet may judge itself.
    function transferWithAuthorization(
        address from,
        address to,
        uint256 value,
        uint256 validAfter,
        uint256 validBefore,
        bytes32 nonce,
        bytes memory signature
    ) public {
        bytes32 content = keccak256(
            abi.encode(TRANSFER_WITH_AUTHORIZATION_TYPEHASH, from, to, value, validAfter, validBefore, nonce)
        );
        _useInTime(from, validAfter, validBefore, nonce);
        _requireSigned(from, content, signature);
        _transfer(from, to, value);
    }

    function receiveWithAuthorization(
        address from,
        address to,
        uint256 value,
        uint256 validAfter,
        uint256 validBefore,
        bytes32 nonce,
        uint8 v,
        bytes32 r,
        bytes32 s
    ) external {
        receiveWithAuthorization(from, to, value, validAfter, validBefore, nonce, abi.encodePacked(r, s, v));
    }

    /// @dev Only the receiver may send it in, so nobody can replay it from the pool ahead of them.
    function receiveWithAuthorization(
        address from,
        address to,
        uint256 value,
        uint256 validAfter,
        uint256 validBefore,
        bytes32 nonce,
        bytes memory signature
    ) public {
        require(to == msg.sender, "TestToken: caller must be the payee");
        bytes32 content = keccak256(
            abi.encode(RECEIVE_WITH_AUTHORIZATION_TYPEHASH, from, to, value, validAfter, validBefore, nonce)
        );
        _useInTime(from, validAfter, validBefore, nonce);
        _requireSigned(from, content, signature);
        _transfer(from, to, value);
    }

    function cancelAuthorization(address authorizer, bytes32 nonce, uint8 v, bytes32 r, bytes32 s) external {
        cancelAuthorization(authorizer, nonce, abi.encodePacked(r, s, v));
    }

    function cancelAuthorization(address authorizer, bytes32 nonce, bytes memory signature) public {
        _use(authorizer, nonce);
        _requireSigned(authorizer, keccak256(abi.encode(CANCEL_AUTHORIZATION_TYPEHASH, authorizer, nonce)), signature);
        emit AuthorizationCanceled(authorizer, nonce);
    }

    /// @dev Both bounds are exclusive, as EIP-3009 has them. The nonce is spent before the
    /// signature is checked; a bad signature reverts the whole call, and the nonce with it.
    function _useInTime(address authorizer, uint256 validAfter, uint256 validBefore, bytes32 nonce) private {
        require(block.timestamp > validAfter, "TestToken: authorization is not yet valid");
        require(block.timestamp < validBefore, "TestToken: authorization is expired");
        _use(authorizer, nonce);
        emit AuthorizationUsed(authorizer, nonce);
    }

    function _use(address authorizer, bytes32 nonce) private {
        require(!authorizationState[authorizer][nonce], "TestToken: authorization is used or canceled");
        authorizationState[authorizer][nonce] = true;
    }

    function _requireSigned(address signer, bytes32 content, bytes memory signature) private view {
        bytes32 digest = keccak256(abi.encodePacked(hex"1901", DOMAIN_SEPARATOR(), content));
        bool valid = signer.code.length > 0
            ? _contractAgrees(signer, digest, signature)
            : _recover(digest, signature) == signer && signer != address(0);
        require(valid, "TestToken: invalid signature");
    }

    /// @dev A wallet that reverts, or that answers with anything but the word, has not agreed.
    function _contractAgrees(address wallet, bytes32 digest, bytes memory signature) private view returns (bool) {
        (bool answered, bytes memory answer) = wallet.staticcall(
            abi.encodeCall(ISignatureJudge.isValidSignature, (digest, signature))
        );
        return
            answered &&
            answer.length == 32 &&
            bytes32(answer) == bytes32(ISignatureJudge.isValidSignature.selector);
    }

    /// @return The signer, or the zero address for a signature that is not in its one strict form.
    function _recover(bytes32 digest, bytes memory signature) private pure returns (address) {
        if (signature.length != 65) return address(0);
        bytes32 r;
        bytes32 s;
        uint8 v;
        assembly ("memory-safe") {
            r := mload(add(signature, 0x20))
            s := mload(add(signature, 0x40))
            v := byte(0, mload(add(signature, 0x60)))
        }
        if (uint256(s) > MAX_S) return address(0);
        if (v != 27 && v != 28) return address(0);
        return ecrecover(digest, v, r, s);
    }

    function _transfer(address from, address to, uint256 value) private {
        require(to != address(0), "TestToken: transfer to the zero address");
        uint256 held = balanceOf[from];
        require(held >= value, "TestToken: transfer amount exceeds balance");
        unchecked {
            // `held` covers `value`, and no balance can pass `totalSupply`.
            balanceOf[from] = held - value;
            balanceOf[to] += value;
        }
        emit Transfer(from, to, value);
    }

    function _mint(address to, uint256 value) private {
        require(to != address(0), "TestToken: mint to the zero address");
        totalSupply += value;
        unchecked {
            balanceOf[to] += value;
        }
        emit Transfer(address(0), to, value);
    }
}
