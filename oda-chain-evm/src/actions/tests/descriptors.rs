//! The descriptors against the reference implementation's, and against the rules of ODA draft 0.

use super::*;

struct NoSimulator;

#[async_trait]
impl Simulator for NoSimulator {
    type Payload = EvmTx;

    async fn simulate(&self, _: &EvmTx, _: UnixMillis) -> Result<Simulation, ChainError> {
        Err(ChainError::Unavailable {
            node: "none".to_owned(),
            reason: "none".to_owned(),
        })
    }
}

fn actions() -> EvmActions {
    EvmActions::new(Arc::new(EvmNetworks::new()), Arc::new(NoSimulator), None)
}

/// `upstream` differs on purpose (those are TypeScript packages), and the vectors leave out prose.
#[test]
fn the_descriptors_of_the_reference_are_met_field_by_field() {
    let path = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../oda-testkit/testdata/vectors/oda-actions.json"
    );
    let vectors: Value = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    let ours = actions();
    let mut met = 0;
    for expected in vectors["actions"].as_array().unwrap() {
        let Some(descriptor) = ours
            .descriptors()
            .into_iter()
            .find(|d| d.id.as_str() == expected["id"])
        else {
            continue;
        };
        let found = serde_json::to_value(descriptor).unwrap();
        for key in [
            "id",
            "name",
            "version",
            "effects",
            "custody",
            "chains",
            "input_schema",
            "output_schema",
            "policy",
            "receipt",
            "sponsored",
        ] {
            assert_eq!(found[key], expected[key], "{}: {key}", expected["id"]);
        }
        let hints = serde_json::to_value(descriptor.approval_hints()).unwrap();
        assert_eq!(hints, expected["hints"], "{}", expected["id"]);
        met += 1;
    }
    assert_eq!(
        met, 4,
        "chain.read, tx.simulate, token.approvals.list, token.approvals.revoke"
    );
}

#[test]
fn every_descriptor_passes_the_validator_and_the_lints() {
    for descriptor in actions().descriptors() {
        assert_eq!(descriptor.check(), Ok(()), "{}", descriptor.id);
        assert!(
            !descriptor.description.contains("  "),
            "{}",
            descriptor.description
        );
    }
}
