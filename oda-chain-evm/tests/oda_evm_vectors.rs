//! The selectors, calldata and checksums of the shared ODA vectors (`oda-evm.json`).

#[cfg(test)]
mod vectors {
    use oda_chain_evm::{
        AddressRule, EvmAddress, EvmError, LocalSigner, MainnetAccess, encode_call, selector,
    };
    use serde_json::{Value, json};

    fn vectors() -> Value {
        let path = concat!(
            env!("CARGO_MANIFEST_DIR"),
            "/../oda-testkit/testdata/vectors/oda-evm.json"
        );
        serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap()
    }

    fn cases<'a>(vectors: &'a Value, list: &str) -> &'a [Value] {
        let cases = vectors[list].as_array().unwrap();
        assert!(!cases.is_empty());
        cases
    }

    #[test]
    fn selectors() {
        for case in cases(&vectors(), "selectors") {
            let found = selector(case["signature"].as_str().unwrap()).unwrap();
            assert_eq!(
                format!("0x{}", hex::encode(found)),
                case["selector"],
                "{case}"
            );
        }
    }

    #[test]
    fn calldata() {
        for case in cases(&vectors(), "calldata") {
            let signature = match case["call"].as_str().unwrap() {
                "approve" => "function approve(address spender, uint256 amount)",
                "setApprovalForAll" => {
                    "function setApprovalForAll(address operator, bool approved)"
                }
                "register" => "function register(string agentURI)",
                other => panic!("{other}"),
            };
            let data = encode_call(&json!(signature), case["args"].as_array().unwrap()).unwrap();
            assert_eq!(data.to_string(), case["data"], "{case}");
        }
    }

    #[test]
    fn checksums() {
        for case in cases(&vectors(), "checksums") {
            let address: EvmAddress = case["lower"].as_str().unwrap().parse().unwrap();
            assert_eq!(address.to_string(), case["checksummed"]);
            assert_eq!(address.to_lower_hex(), case["lower"]);
        }
    }

    /// The reference accepts a wrong checksum. Here it is refused: see `docs/differences.md`.
    #[test]
    fn a_wrong_checksum_is_refused_on_purpose() {
        assert_eq!(vectors()["wrong_checksum_mixed_case"], "accepted");
        let wrong = "0x000000000000000000000000000000000000DEad".parse::<EvmAddress>();
        assert!(matches!(
            wrong,
            Err(EvmError::Address {
                rule: AddressRule::Checksum,
                ..
            })
        ));
    }

    #[test]
    fn the_throwaway_key_has_its_address() {
        let key = format!("0x{}", "01".repeat(32)).into();
        let signer = LocalSigner::from_secret(&key, MainnetAccess::Refused).unwrap();
        assert_eq!(signer.evm_address().to_string(), vectors()["test_account"]);
    }
}
