//! ERC-721 and ERC-1155: the approvals, what they allow, and the custom errors.

use alloy::primitives::{Address, Bytes, U256, fixed_bytes};
use alloy::sol;
use alloy::sol_types::{SolConstructor as _, SolEvent as _, SolInterface as _};

use crate::ground::Ground;

sol! {
    #[derive(Debug, PartialEq)]
    interface Collectible {
        event Transfer(address indexed from, address indexed to, uint256 indexed tokenId);
        event Approval(address indexed owner, address indexed approved, uint256 indexed tokenId);
        event ApprovalForAll(address indexed owner, address indexed operator, bool approved);

        error ERC721InvalidOwner(address owner);
        error ERC721NonexistentToken(uint256 tokenId);
        error ERC721IncorrectOwner(address sender, uint256 tokenId, address owner);
        error ERC721InvalidSender(address sender);
        error ERC721InvalidReceiver(address receiver);
        error ERC721InsufficientApproval(address operator, uint256 tokenId);
        error ERC721InvalidApprover(address approver);
        error ERC721InvalidOperator(address operator);

        constructor(string name, string symbol);
        function supportsInterface(bytes4 id) returns (bool);
        function balanceOf(address owner) returns (uint256);
        function ownerOf(uint256 tokenId) returns (address);
        function getApproved(uint256 tokenId) returns (address);
        function isApprovedForAll(address owner, address operator) returns (bool);
        function mint(address to, uint256 tokenId);
        function approve(address approved, uint256 tokenId);
        function setApprovalForAll(address operator, bool approved);
        function transferFrom(address from, address to, uint256 tokenId);
    }

    #[derive(Debug, PartialEq)]
    interface Multi {
        event TransferSingle(address indexed operator, address indexed from, address indexed to, uint256 id, uint256 value);
        event ApprovalForAll(address indexed account, address indexed operator, bool approved);

        error ERC1155InsufficientBalance(address sender, uint256 balance, uint256 needed, uint256 tokenId);
        error ERC1155InvalidReceiver(address receiver);
        error ERC1155MissingApprovalForAll(address operator, address owner);
        error ERC1155InvalidOperator(address operator);

        function supportsInterface(bytes4 id) returns (bool);
        function balanceOf(address account, uint256 id) returns (uint256);
        function isApprovedForAll(address account, address operator) returns (bool);
        function mint(address to, uint256 id, uint256 value);
        function setApprovalForAll(address operator, bool approved);
        function safeTransferFrom(address from, address to, uint256 id, uint256 value, bytes data);
    }
}

const OWNER: Address = Address::with_last_byte(0xa1);
const OTHER: Address = Address::with_last_byte(0xa2);
const OPERATOR: Address = Address::with_last_byte(0xa3);
const ID: U256 = U256::from_limbs([7, 0, 0, 0]);

/// A collection in which the owner holds number 7.
fn collection() -> (Ground, Address) {
    let mut ground = Ground::new();
    let arguments = Collectible::constructorCall {
        name: "Test Card".to_owned(),
        symbol: "CARD".to_owned(),
    };
    let at = ground.deploy("TestCollectible", &arguments.abi_encode());
    ground
        .call(
            OTHER,
            at,
            &Collectible::mintCall {
                to: OWNER,
                tokenId: ID,
            },
        )
        .returned();
    (ground, at)
}

fn collectible_error(data: &Bytes) -> Collectible::CollectibleErrors {
    Collectible::CollectibleErrors::abi_decode(data).expect("an error of ERC-6093")
}

fn take() -> Collectible::transferFromCall {
    Collectible::transferFromCall {
        from: OWNER,
        to: OTHER,
        tokenId: ID,
    }
}

#[test]
fn one_approval_moves_one_token_once() {
    let (mut ground, at) = collection();
    let approve = Collectible::approveCall {
        approved: OPERATOR,
        tokenId: ID,
    };
    let (_, logs) = ground.call(OWNER, at, &approve).returned();
    let told = Collectible::Approval::decode_log(&logs[0]).unwrap();
    assert_eq!(
        (told.owner, told.approved, told.tokenId),
        (OWNER, OPERATOR, ID)
    );
    assert_eq!(
        ground.read(at, &Collectible::getApprovedCall { tokenId: ID }),
        OPERATOR
    );

    let (_, logs) = ground.call(OPERATOR, at, &take()).returned();
    let told = Collectible::Transfer::decode_log(&logs[0]).unwrap();
    assert_eq!((told.from, told.to, told.tokenId), (OWNER, OTHER, ID));
    assert_eq!(
        ground.read(at, &Collectible::ownerOfCall { tokenId: ID }),
        OTHER
    );
    assert_eq!(
        ground.read(at, &Collectible::getApprovedCall { tokenId: ID }),
        Address::ZERO
    );
    assert_eq!(
        ground.read(at, &Collectible::balanceOfCall { owner: OTHER }),
        U256::ONE
    );
    assert_eq!(
        ground.read(at, &Collectible::balanceOfCall { owner: OWNER }),
        U256::ZERO
    );

    let refused = ground.call(OPERATOR, at, &take()).reverted();
    let expected = Collectible::ERC721IncorrectOwner {
        sender: OWNER,
        tokenId: ID,
        owner: OTHER,
    };
    assert_eq!(
        collectible_error(&refused),
        Collectible::CollectibleErrors::ERC721IncorrectOwner(expected)
    );
}

#[test]
fn an_operator_moves_everything_until_taken_back() {
    let (mut ground, at) = collection();
    let set = |approved| Collectible::setApprovalForAllCall {
        operator: OPERATOR,
        approved,
    };
    let asked = Collectible::isApprovedForAllCall {
        owner: OWNER,
        operator: OPERATOR,
    };
    let (_, logs) = ground.call(OWNER, at, &set(true)).returned();
    let told = Collectible::ApprovalForAll::decode_log(&logs[0]).unwrap();
    assert_eq!(
        (told.owner, told.operator, told.approved),
        (OWNER, OPERATOR, true)
    );
    assert!(ground.read(at, &asked));

    ground.call(OWNER, at, &set(false)).returned();
    assert!(!ground.read(at, &asked));
    let refused = ground.call(OPERATOR, at, &take()).reverted();
    let expected = Collectible::ERC721InsufficientApproval {
        operator: OPERATOR,
        tokenId: ID,
    };
    assert_eq!(
        collectible_error(&refused),
        Collectible::CollectibleErrors::ERC721InsufficientApproval(expected)
    );

    ground.call(OWNER, at, &set(true)).returned();
    ground.call(OPERATOR, at, &take()).returned();
    assert_eq!(
        ground.read(at, &Collectible::ownerOfCall { tokenId: ID }),
        OTHER
    );
}

#[test]
fn a_stranger_approves_nothing_and_a_missing_token_has_no_owner() {
    let (mut ground, at) = collection();
    let approve = Collectible::approveCall {
        approved: OTHER,
        tokenId: ID,
    };
    let refused = ground.call(OTHER, at, &approve).reverted();
    assert_eq!(
        collectible_error(&refused),
        Collectible::CollectibleErrors::ERC721InvalidApprover(Collectible::ERC721InvalidApprover {
            approver: OTHER
        })
    );
    let missing = U256::from(8);
    let refused = ground
        .call(OTHER, at, &Collectible::ownerOfCall { tokenId: missing })
        .reverted();
    assert_eq!(
        collectible_error(&refused),
        Collectible::CollectibleErrors::ERC721NonexistentToken(
            Collectible::ERC721NonexistentToken { tokenId: missing }
        )
    );
    let again = Collectible::mintCall {
        to: OTHER,
        tokenId: ID,
    };
    let refused = ground.call(OTHER, at, &again).reverted();
    assert!(matches!(
        collectible_error(&refused),
        Collectible::CollectibleErrors::ERC721InvalidSender(_)
    ));
}

#[test]
fn each_kind_answers_to_its_own_interface_id() {
    let (mut ground, collectible) = collection();
    let multi = ground.deploy("TestMulti", &[]);
    let erc721 = fixed_bytes!("80ac58cd");
    let erc1155 = fixed_bytes!("d9b67a26");
    let ask = |id| Collectible::supportsInterfaceCall { id };
    assert!(ground.read(collectible, &ask(erc721)) && ground.read(multi, &ask(erc1155)));
    assert!(!ground.read(collectible, &ask(erc1155)) && !ground.read(multi, &ask(erc721)));
    assert!(
        !ground.read(collectible, &ask(fixed_bytes!("ffffffff"))),
        "as ERC-165 demands"
    );
}

#[test]
fn an_operator_of_many_tokens_moves_up_to_the_balance() {
    let mut ground = Ground::new();
    let at = ground.deploy("TestMulti", &[]);
    let mint = Multi::mintCall {
        to: OWNER,
        id: ID,
        value: U256::from(10),
    };
    ground.call(OTHER, at, &mint).returned();
    let take = |value: u64| Multi::safeTransferFromCall {
        from: OWNER,
        to: OTHER,
        id: ID,
        value: U256::from(value),
        data: Bytes::from_static(b"note"),
    };
    let error = |data: &Bytes| Multi::MultiErrors::abi_decode(data).expect("an error of ERC-6093");

    let refused = ground.call(OPERATOR, at, &take(4)).reverted();
    let expected = Multi::ERC1155MissingApprovalForAll {
        operator: OPERATOR,
        owner: OWNER,
    };
    assert_eq!(
        error(&refused),
        Multi::MultiErrors::ERC1155MissingApprovalForAll(expected)
    );

    let approve = Multi::setApprovalForAllCall {
        operator: OPERATOR,
        approved: true,
    };
    let (_, logs) = ground.call(OWNER, at, &approve).returned();
    let told = Multi::ApprovalForAll::decode_log(&logs[0]).unwrap();
    assert_eq!(
        (told.account, told.operator, told.approved),
        (OWNER, OPERATOR, true)
    );
    let asked = Multi::isApprovedForAllCall {
        account: OWNER,
        operator: OPERATOR,
    };
    assert!(ground.read(at, &asked));

    let (_, logs) = ground.call(OPERATOR, at, &take(4)).returned();
    let told = Multi::TransferSingle::decode_log(&logs[0]).unwrap();
    assert_eq!(
        (told.operator, told.from, told.to),
        (OPERATOR, OWNER, OTHER)
    );
    assert_eq!((told.id, told.value), (ID, U256::from(4)));

    let refused = ground.call(OPERATOR, at, &take(7)).reverted();
    let expected = Multi::ERC1155InsufficientBalance {
        sender: OWNER,
        balance: U256::from(6),
        needed: U256::from(7),
        tokenId: ID,
    };
    assert_eq!(
        error(&refused),
        Multi::MultiErrors::ERC1155InsufficientBalance(expected)
    );
    let held = |account| Multi::balanceOfCall { account, id: ID };
    assert_eq!(ground.read(at, &held(OWNER)), U256::from(6));
    assert_eq!(ground.read(at, &held(OTHER)), U256::from(4));
}
