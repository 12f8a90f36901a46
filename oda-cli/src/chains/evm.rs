//! EVM chains: their nodes, their simulator and submitter, and the local key.

use std::sync::Arc;

use oda_chain_evm::{
    EvmActions, EvmAddress, EvmNetworks, EvmSimulator, EvmSubmitter, EvmTx, LocalSigner,
    MainnetAccess, keystore_address, read_password_file,
};
use oda_core::{EngineBuilder, PayloadKind};
use secrecy::SecretString;

use super::{Key, nodes};
use crate::args::{KeystoreArgs, NodeArgs};
use crate::environment::Environment;
use crate::error::CliError;

const KEY: &str = "ODA_EVM_KEY";
const PASSWORD: &str = "ODA_KEYSTORE_PASSWORD";
const PASSWORD_FILE: &str = "ODA_KEYSTORE_PASSWORD_FILE";
const ALLOW_MAINNET: &str = "ODA_ALLOW_MAINNET_SIGNING";

/// Nodes, and who signs.
#[derive(Debug, Clone, Default)]
pub(crate) struct Evm {
    networks: Arc<EvmNetworks>,
    sender: Option<EvmAddress>,
    signer: Option<Arc<LocalSigner>>,
}

impl Evm {
    pub(crate) fn unconnected() -> Self {
        Self::default()
    }

    /// These nodes, and this signer.
    pub(crate) fn new(networks: EvmNetworks, signer: LocalSigner) -> Self {
        Self {
            networks: Arc::new(networks),
            sender: Some(signer.evm_address()),
            signer: Some(Arc::new(signer)),
        }
    }

    pub(super) async fn connect(
        args: &NodeArgs,
        key: Key<'_>,
        environment: &Environment,
    ) -> Result<Self, CliError> {
        let networks = Arc::new(nodes::networks(args, environment)?);
        let (sender, signer) = match key {
            Key::Unused => (None, None),
            Key::Address(keystore) => (sender(keystore, environment)?, None),
            Key::Signing {
                keystore,
                allow_mainnet,
            } => {
                let signer = signer(keystore, allow_mainnet, environment).await?;
                (
                    signer.as_ref().map(LocalSigner::evm_address),
                    signer.map(Arc::new),
                )
            }
        };
        Ok(Self {
            networks,
            sender,
            signer,
        })
    }

    /// Registers the actions and the payload kind `evm_tx`.
    pub(crate) fn plug(self, engine: EngineBuilder) -> EngineBuilder {
        let simulator = Arc::new(EvmSimulator::new(Arc::clone(&self.networks)));
        let mut kind = PayloadKind::<EvmTx>::new()
            .simulator(simulator.clone())
            .submitter(Arc::new(EvmSubmitter::new(Arc::clone(&self.networks))));
        if let Some(signer) = self.signer {
            kind = kind.signer(signer);
        }
        EvmActions::new(self.networks, simulator, self.sender)
            .register(engine)
            .kind(kind)
    }
}

/// The address of the key, without decrypting anything. The flag comes before the variable.
fn sender(args: &KeystoreArgs, environment: &Environment) -> Result<Option<EvmAddress>, CliError> {
    if let Some(path) = &args.keystore {
        return Ok(keystore_address(path)?);
    }
    let signer = from_variable(environment, MainnetAccess::Refused)?;
    Ok(signer.as_ref().map(LocalSigner::evm_address))
}

async fn signer(
    args: &KeystoreArgs,
    allow_mainnet: bool,
    environment: &Environment,
) -> Result<Option<LocalSigner>, CliError> {
    let mainnet = if allow_mainnet || environment.switch(ALLOW_MAINNET)? {
        MainnetAccess::Allowed
    } else {
        MainnetAccess::Refused
    };
    let Some(path) = args.keystore.clone() else {
        return from_variable(environment, mainnet);
    };
    let password = password(environment)?;
    // A second of computation.
    let opened =
        tokio::task::spawn_blocking(move || LocalSigner::from_keystore(&path, &password, mainnet));
    let signer = opened.await.map_err(|error| CliError::Runtime {
        source: std::io::Error::other(error),
    })?;
    Ok(Some(signer?))
}

fn from_variable(
    environment: &Environment,
    mainnet: MainnetAccess,
) -> Result<Option<LocalSigner>, CliError> {
    let Some(key) = environment.text(KEY)? else {
        return Ok(None);
    };
    let signer = LocalSigner::from_secret(&SecretString::from(key), mainnet)
        .map_err(|error| CliError::argument(KEY, format!("is not usable: {error}")))?;
    Ok(Some(signer))
}

fn password(environment: &Environment) -> Result<SecretString, CliError> {
    if let Some(path) = environment.path(PASSWORD_FILE) {
        return Ok(read_password_file(&path)?);
    }
    match environment.text(PASSWORD)? {
        Some(password) => Ok(SecretString::from(password)),
        None => Err(CliError::argument(
            "--keystore",
            format!(
                "needs a password: set {PASSWORD_FILE} to a file that only you can read, or {PASSWORD}"
            ),
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEST_KEY: &str = "0x0101010101010101010101010101010101010101010101010101010101010101";

    #[test]
    fn the_sender_is_the_address_of_the_variables_key() {
        let environment = Environment::of(&[(KEY, TEST_KEY)]);
        let sender = sender(&KeystoreArgs::default(), &environment)
            .unwrap()
            .unwrap();
        assert_eq!(
            sender.to_string(),
            "0x1a642f0E3c3aF545E7AcBD38b07251B3990914F1"
        );
    }

    #[test]
    fn an_unusable_key_is_named_and_never_repeated() {
        for key in ["0x01", &TEST_KEY[..64], &format!("{TEST_KEY}zz")] {
            let environment = Environment::of(&[(KEY, key)]);
            let error = sender(&KeystoreArgs::default(), &environment).unwrap_err();
            assert_eq!(error.code(), "invalid_argument");
            assert!(error.to_string().starts_with(KEY), "{error}");
            assert!(!format!("{error} {error:?}").contains("0101"), "{error:?}");
        }
    }

    #[tokio::test]
    async fn a_keystore_without_a_password_says_where_one_comes_from() {
        let args = KeystoreArgs {
            keystore: Some("key.json".into()),
        };
        let error = signer(&args, false, &Environment::default())
            .await
            .unwrap_err();
        assert!(error.to_string().contains(PASSWORD_FILE), "{error}");
    }

    #[tokio::test]
    async fn the_mainnet_switch_is_1_or_nothing() {
        let environment = Environment::of(&[(KEY, TEST_KEY), (ALLOW_MAINNET, "yes")]);
        let error = signer(&KeystoreArgs::default(), false, &environment)
            .await
            .unwrap_err();
        assert!(error.to_string().starts_with(ALLOW_MAINNET), "{error}");
        let environment = Environment::of(&[(KEY, TEST_KEY), (ALLOW_MAINNET, "1")]);
        let signer = signer(&KeystoreArgs::default(), false, &environment)
            .await
            .unwrap()
            .unwrap();
        assert!(format!("{signer:?}").contains("Allowed"));
    }
}
