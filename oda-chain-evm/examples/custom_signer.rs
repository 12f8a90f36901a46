//! A signer of your own: the key lives behind a door, as in a KMS, and this process only knocks.
//!
//!     cargo run -p oda-chain-evm --example custom_signer
//!
//! A signer implements one trait, [`Signer`], and knows nothing of the engine. Here the "KMS" is a thread
//! that holds the key. It is given the unsigned transaction and not a hash, so that it can refuse what it
//! does not want to sign; what comes back is a signature. The example prepares and executes two transfers
//! on an embedded chain: one that the KMS signs and one that it refuses.

use std::error::Error;
use std::io::Write as _;
use std::sync::{Arc, mpsc};

use alloy::consensus::{SignableTransaction as _, TxEip1559};
use alloy::primitives::{Signature, U256, keccak256};
use alloy::rlp::Decodable as _;
use alloy::signers::SignerSync as _;
use alloy::signers::local::PrivateKeySigner;
use async_trait::async_trait;
use oda_chain_evm::{
    EmbeddedChain, EvmActions, EvmAddress, EvmNetworks, EvmNode, EvmSimulator, EvmSubmitter,
    EvmTerms, EvmTx, Genesis, default_fee_limit, eip1559, signed_transaction,
};
use oda_core::{
    Engine, IntentSecret, MemoryStore, Payload as _, PayloadKind, Policy, Signed, Signer,
    SignerError,
};
use serde_json::json;
use tokio::sync::oneshot;

/// The most that the KMS lets out in one transaction, in wei: a limit that no agent and no policy file can
/// move, because it is kept where the key is.
const KMS_LIMIT_WEI: u64 = 2_000_000_000_000_000_000;

const FRIEND: &str = "0x000000000000000000000000000000000000dEaD";

/// One knock: the unsigned transaction (EIP-2718) and where the answer goes.
struct Request {
    unsigned: Vec<u8>,
    answer: oneshot::Sender<Result<Signature, String>>,
}

/// The far side of the door. It decodes what it is given, judges it, and signs.
fn kms(key: &PrivateKeySigner, requests: &mpsc::Receiver<Request>) {
    while let Ok(Request { unsigned, answer }) = requests.recv() {
        // Nobody waiting any more is no fault of the KMS.
        let _ = answer.send(judge_and_sign(key, &unsigned));
    }
}

fn judge_and_sign(key: &PrivateKeySigner, unsigned: &[u8]) -> Result<Signature, String> {
    let (kind, mut body) = unsigned.split_first().ok_or("nothing to sign")?;
    if *kind != 0x02 {
        return Err("only EIP-1559 transactions are signed here".to_owned());
    }
    let transaction = TxEip1559::decode(&mut body).map_err(|error| error.to_string())?;
    if transaction.value > U256::from(KMS_LIMIT_WEI) {
        return Err(format!(
            "{} wei is above this key's limit",
            transaction.value
        ));
    }
    key.sign_hash_sync(&keccak256(unsigned))
        .map_err(|error| error.to_string())
}

/// The near side of the door: what the engine is given.
#[derive(Debug)]
struct KmsSigner {
    address: EvmAddress,
    requests: mpsc::Sender<Request>,
}

impl KmsSigner {
    async fn knock(&self, unsigned: Vec<u8>) -> Result<Signature, SignerError> {
        let gone = |_| SignerError::Failed {
            reason: "the KMS does not answer".to_owned(),
        };
        let (answer, answered) = oneshot::channel();
        self.requests
            .send(Request { unsigned, answer })
            .map_err(|_| SignerError::Failed {
                reason: "the KMS is gone".to_owned(),
            })?;
        answered
            .await
            .map_err(gone)?
            .map_err(|reason| SignerError::Refused { reason })
    }
}

#[async_trait]
impl Signer for KmsSigner {
    type Payload = EvmTx;

    fn kind(&self) -> &str {
        "kms"
    }

    async fn address(&self, _chain: &str) -> Result<String, SignerError> {
        Ok(self.address.to_string())
    }

    async fn sign(&self, payload: &EvmTx, terms: &EvmTerms) -> Result<Signed, SignerError> {
        let refused = |reason: String| SignerError::Refused { reason };
        payload
            .validate()
            .map_err(|error| refused(error.to_string()))?;
        terms
            .check(default_fee_limit(payload.chain_id))
            .map_err(|error| refused(error.to_string()))?;
        if payload.from.is_some_and(|from| from != self.address) {
            return Err(refused("`from` is another account".to_owned()));
        }
        let transaction = eip1559(payload, terms);
        let mut unsigned = Vec::new();
        transaction.encode_for_signing(&mut unsigned);
        let signature = self.knock(unsigned).await?;
        // A door can answer anything: what it answered is checked before it counts.
        let signer = signature
            .recover_address_from_prehash(&transaction.signature_hash())
            .map_err(|error| SignerError::Failed {
                reason: error.to_string(),
            })?;
        if EvmAddress::from(signer) != self.address {
            return Err(SignerError::Failed {
                reason: "the KMS signed with another key".to_owned(),
            });
        }
        Ok(signed_transaction(payload, terms, self.address, signature))
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let key = PrivateKeySigner::random();
    let address = EvmAddress::from(key.address());
    let (requests, knocks) = mpsc::channel();
    let door = std::thread::spawn(move || kms(&key, &knocks));

    let ten_ether = U256::from(10_u64) * U256::from(1_000_000_000_000_000_000_u64);
    let chain =
        EmbeddedChain::new(Genesis::new(84_532).with_balance(address.to_alloy(), ten_ether));
    let engine = engine(&chain, KmsSigner { address, requests })?;

    for amount in ["1500000000000000000", "3000000000000000000"] {
        let input = json!({"chain": "base-sepolia", "to": FRIEND, "amount": amount});
        let intent = engine.prepare("evm.transfer", &input).await?;
        say(&format!("prepared  {}", intent.summary))?;
        match engine.execute(&intent.intent_id).await {
            Ok(execution) => say(&format!("executed  {:?}", execution.state))?,
            Err(error) => say(&format!("refused   {error}"))?,
        }
        let held = chain
            .balance(FRIEND.parse()?, chain.head().await?.number)
            .await?;
        say(&format!("balance   {FRIEND} holds {held} wei"))?;
    }

    // The engine holds the last sender: without it the door closes and the thread ends.
    drop(engine);
    door.join().map_err(|_| "the KMS thread panicked")?;
    Ok(())
}

fn engine(chain: &EmbeddedChain, signer: KmsSigner) -> Result<Engine, Box<dyn Error>> {
    let networks = Arc::new(EvmNetworks::new().with_node("base-sepolia", Arc::new(chain.clone())));
    let simulator = Arc::new(EvmSimulator::new(Arc::clone(&networks)));
    let submitter = Arc::new(EvmSubmitter::new(Arc::clone(&networks)));
    let actions = EvmActions::new(networks, simulator.clone(), Some(signer.address));
    let kind = PayloadKind::new()
        .simulator(simulator)
        .signer(Arc::new(signer))
        .submitter(submitter);
    let policy = Policy::parse(br#"{"schema": "sato.policy/v1", "network": "testnet"}"#)?;
    let secret = IntentSecret::new(b"an example, not a secret: 32 B...")?;
    let builder = Engine::builder(Arc::new(MemoryStore::new()), secret, policy).kind(kind);
    Ok(actions.register(builder).build()?)
}

fn say(line: &str) -> std::io::Result<()> {
    writeln!(std::io::stdout(), "{line}")
}
