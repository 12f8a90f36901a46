//! A chain in memory on which nothing costs gas, and the contracts on it.

use alloy::primitives::{Address, Bytes, TxKind, U256};
use alloy::sol;
use alloy::sol_types::{SolCall, SolConstructor};
use revm::context::result::{ExecutionResult, Output};
use revm::context::{Context, TxEnv};
use revm::database::{CacheDB, EmptyDB};
use revm::handler::{MainnetContext, MainnetEvm};
use revm::primitives::Log;
use revm::state::{AccountInfo, Bytecode};
use revm::{ExecuteCommitEvm as _, MainBuilder as _, MainContext as _};
use serde_json::Value;

sol! {
    // Written from the standards, not from the sources: a wrong signature there fails here.
    #[derive(Debug, PartialEq)]
    interface Token {
        event Transfer(address indexed from, address indexed to, uint256 value);
        event Approval(address indexed owner, address indexed spender, uint256 value);
        event AuthorizationUsed(address indexed authorizer, bytes32 indexed nonce);
        event AuthorizationCanceled(address indexed authorizer, bytes32 indexed nonce);

        constructor(string name, string symbol, uint8 decimals, address holder, uint256 supply);
        function name() returns (string);
        function symbol() returns (string);
        function decimals() returns (uint8);
        function version() returns (string);
        function totalSupply() returns (uint256);
        function balanceOf(address account) returns (uint256);
        function allowance(address owner, address spender) returns (uint256);
        function transfer(address to, uint256 value) returns (bool);
        function approve(address spender, uint256 value) returns (bool);
        function transferFrom(address from, address to, uint256 value) returns (bool);
        function mint(address to, uint256 value);

        function DOMAIN_SEPARATOR() returns (bytes32);
        function TRANSFER_WITH_AUTHORIZATION_TYPEHASH() returns (bytes32);
        function RECEIVE_WITH_AUTHORIZATION_TYPEHASH() returns (bytes32);
        function CANCEL_AUTHORIZATION_TYPEHASH() returns (bytes32);
        function authorizationState(address authorizer, bytes32 nonce) returns (bool);
        function transferWithAuthorization(address from, address to, uint256 value, uint256 validAfter, uint256 validBefore, bytes32 nonce, uint8 v, bytes32 r, bytes32 s);
        function transferWithAuthorization(address from, address to, uint256 value, uint256 validAfter, uint256 validBefore, bytes32 nonce, bytes signature);
        function receiveWithAuthorization(address from, address to, uint256 value, uint256 validAfter, uint256 validBefore, bytes32 nonce, uint8 v, bytes32 r, bytes32 s);
        function receiveWithAuthorization(address from, address to, uint256 value, uint256 validAfter, uint256 validBefore, bytes32 nonce, bytes signature);
        function cancelAuthorization(address authorizer, bytes32 nonce, uint8 v, bytes32 r, bytes32 s);
        function cancelAuthorization(address authorizer, bytes32 nonce, bytes signature);
    }
}

/// Its id is not 1, so that a domain that forgot the chain is seen.
pub(crate) const CHAIN_ID: u64 = 31_337;

/// The time of the only block, in seconds since 1970.
pub(crate) const NOW: u64 = 1_700_000_000;

/// A chain in memory. Every call is a transaction of its own.
pub(crate) struct Ground {
    machine: MainnetEvm<MainnetContext<CacheDB<EmptyDB>>>,
}

/// What became of a call.
#[derive(Debug)]
pub(crate) enum Outcome {
    Returned { data: Bytes, logs: Vec<Log> },
    Reverted(Bytes),
}

impl Ground {
    pub(crate) fn new() -> Self {
        let context = Context::mainnet()
            .with_db(CacheDB::new(EmptyDB::new()))
            .modify_cfg_chained(|cfg| {
                cfg.chain_id = CHAIN_ID;
                cfg.disable_nonce_check = true;
            })
            .modify_block_chained(|block| block.timestamp = U256::from(NOW));
        Self {
            machine: context.build_mainnet(),
        }
    }

    /// Deploys the artifact of that name; `arguments` are the constructor's, encoded.
    pub(crate) fn deploy(&mut self, name: &str, arguments: &[u8]) -> Address {
        let artifact = artifact(name);
        let mut code = bytes_of(&artifact, "bytecode");
        code.extend_from_slice(arguments);
        let result = self.run(Address::with_last_byte(0xd0), TxKind::Create, code.into());
        let ExecutionResult::Success {
            output: Output::Create(code, Some(at)),
            ..
        } = result
        else {
            panic!("{name} was not deployed: {result:?}");
        };
        assert_eq!(
            code,
            bytes_of(&artifact, "deployedBytecode"),
            "the artifact's runtime code"
        );
        at
    }

    /// The token of these tests: six decimals, `supply` base units in the hands of `holder`.
    pub(crate) fn deploy_token(&mut self, holder: Address, supply: u64) -> Address {
        let arguments = Token::constructorCall {
            name: "Test Dollar".to_owned(),
            symbol: "TUSD".to_owned(),
            decimals: 6,
            holder,
            supply: U256::from(supply),
        };
        self.deploy("TestToken", &arguments.abi_encode())
    }

    /// Puts `code` at an address, as if it had been deployed there.
    pub(crate) fn place(&mut self, at: Address, code: &[u8]) {
        let code = Bytecode::new_raw(Bytes::copy_from_slice(code));
        let account = AccountInfo::from_bytecode(code);
        self.machine
            .ctx
            .modify_db(|database| database.insert_account_info(at, account));
    }

    pub(crate) fn call(&mut self, from: Address, to: Address, call: &impl SolCall) -> Outcome {
        match self.run(from, TxKind::Call(to), call.abi_encode().into()) {
            ExecutionResult::Success { output, logs, .. } => Outcome::Returned {
                data: output.into_data(),
                logs,
            },
            ExecutionResult::Revert { output, .. } => Outcome::Reverted(output),
            halted @ ExecutionResult::Halt { .. } => panic!("{halted:?}"),
        }
    }

    /// A call that has to succeed: what it returned.
    pub(crate) fn read<C: SolCall>(&mut self, to: Address, call: &C) -> C::Return {
        let data = self.call(Address::ZERO, to, call).returned().0;
        C::abi_decode_returns_validate(&data).expect("the declared return type")
    }

    pub(crate) fn balance(&mut self, token: Address, account: Address) -> u64 {
        self.read(token, &Token::balanceOfCall { account }).to()
    }

    fn run(&mut self, from: Address, kind: TxKind, data: Bytes) -> ExecutionResult {
        let transaction = TxEnv::builder()
            .caller(from)
            .kind(kind)
            .data(data)
            .chain_id(Some(CHAIN_ID))
            .gas_limit(5_000_000)
            .build()
            .expect("a legacy transaction");
        self.machine
            .transact_commit(transaction)
            .expect("a database in memory never fails")
    }
}

impl Outcome {
    pub(crate) fn returned(self) -> (Bytes, Vec<Log>) {
        match self {
            Self::Returned { data, logs } => (data, logs),
            Self::Reverted(data) => panic!("reverted with {data}"),
        }
    }

    pub(crate) fn reverted(self) -> Bytes {
        match self {
            Self::Reverted(data) => data,
            Self::Returned { data, .. } => panic!("did not revert, and returned {data}"),
        }
    }

    /// The text of `Error(string)`.
    pub(crate) fn reason(self) -> String {
        let data = self.reverted();
        let decoded = <alloy::sol_types::Revert as alloy::sol_types::SolError>::abi_decode(&data);
        decoded
            .unwrap_or_else(|error| panic!("{data} is no reason string: {error}"))
            .reason
    }
}

fn artifact(name: &str) -> Value {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/contracts/artifacts");
    let text = std::fs::read_to_string(format!("{folder}/{name}.json")).unwrap();
    serde_json::from_str(&text).unwrap()
}

fn bytes_of(artifact: &Value, field: &str) -> Vec<u8> {
    alloy::hex::decode(artifact[field].as_str().unwrap()).unwrap()
}
