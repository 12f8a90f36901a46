use super::*;
use alloy::dyn_abi::{DynSolType, DynSolValue};
use proptest::prelude::*;
use serde_json::json;

const DEAD: &str = "0x000000000000000000000000000000000000dEaD";

fn function(text: &str) -> FunctionAbi {
    FunctionAbi::parse_text(text).unwrap()
}

fn error(result: Result<impl std::fmt::Debug, EvmError>) -> (String, String) {
    match result {
        Err(EvmError::Abi { path, rule }) => (path, rule),
        other => panic!("{other:?}"),
    }
}

#[test]
fn both_forms_of_a_fragment_give_the_same_call() {
    let fragment = json!({
        "type": "function", "name": "transfer", "stateMutability": "nonpayable",
        "inputs": [{"name": "to", "type": "address"}, {"name": "amount", "type": "uint256"}],
        "outputs": [{"name": "", "type": "bool"}],
    });
    let from_json = FunctionAbi::parse(&fragment).unwrap();
    for text in [
        "function transfer(address to, uint256 amount) external returns (bool)",
        "transfer(address to, uint amount) returns (bool)",
        "function transfer( address to,uint256 amount )public virtual returns(bool);",
        "function transfer(address payable to, uint256 amount) nonpayable returns (bool)",
    ] {
        assert_eq!(function(text), from_json, "{text}");
    }
    let args = [json!(DEAD), json!("1")];
    assert_eq!(
        encode_call(&fragment, &args).unwrap(),
        from_json.encode_call(&args).unwrap()
    );
}

#[test]
fn a_json_fragment_with_short_type_names_has_the_canonical_selector() {
    let fragment = json!({
        "type": "function", "name": "transfer",
        "inputs": [{"name": "to", "type": "address"}, {"name": "amount", "type": "uint"}], "outputs": [],
    });
    assert_eq!(
        FunctionAbi::parse(&fragment).unwrap().selector(),
        [0xa9, 0x05, 0x9c, 0xbb]
    );
}

#[test]
fn mutability_is_read() {
    assert_eq!(
        function("function f() view returns (uint256)").mutability(),
        Mutability::View
    );
    assert_eq!(
        function("function f() pure returns (uint256)").mutability(),
        Mutability::Pure
    );
    assert_eq!(
        function("function f() payable").mutability(),
        Mutability::Payable
    );
    assert_eq!(
        function("function f()").mutability(),
        Mutability::NonPayable
    );
    assert!(function("function f() view").is_read_only());
    assert!(!function("function f()").is_read_only());
}

#[test]
fn errors_name_the_argument() {
    let f = function("function f(address to, (uint256 amount, bytes4 tag)[] items)");
    let call = |items: Value| error(f.encode_call(&[json!(DEAD), items]));
    assert_eq!(
        call(json!([{"amount": "1.5", "tag": "0x01020304"}])).0,
        "args[1][0].amount"
    );
    let (path, rule) = call(json!([{"amount": "1", "tag": "0x0102"}]));
    assert_eq!(path, "args[1][0].tag");
    assert_eq!(rule, "must be exactly 4 bytes, 2 were given");
    let (path, rule) = call(json!([{"amount": "1"}]));
    assert_eq!(
        (path.as_str(), rule.as_str()),
        ("args[1][0].tag", "is missing")
    );
    let (path, rule) = call(json!([{"amount": "1", "tag": "0x01020304", "extra": 1}]));
    assert_eq!(path, "args[1][0]");
    assert!(rule.contains("no member \"extra\""), "{rule}");
    assert_eq!(call(json!("x")).0, "args[1]");
    assert_eq!(error(f.encode_call(&[])).0, "args");
}

#[test]
fn a_json_number_is_not_an_integer_argument() {
    let f = function("f(uint256)");
    let (path, rule) = error(f.encode_call(&[json!(5)]));
    assert_eq!(path, "args[0]");
    assert_eq!(rule, "must be a decimal string, found a JSON number");
}

#[test]
fn integers_that_do_not_fit_are_refused() {
    let f = function("f(uint8 a, int8 b)");
    for (a, b) in [("256", "0"), ("0", "128"), ("0", "-129")] {
        let (_, rule) = error(f.encode_call(&[json!(a), json!(b)]));
        assert!(rule.contains("does not fit in"), "{rule}");
    }
    for (a, b) in [("255", "127"), ("0", "-128")] {
        let data = f.encode_call(&[json!(a), json!(b)]).unwrap();
        assert_eq!(f.decode_call(data.bytes()).unwrap(), [json!(a), json!(b)]);
    }
}

#[test]
fn a_wrong_checksum_in_an_argument_is_refused() {
    let f = function("f(address)");
    let (path, rule) = error(f.encode_call(&[json!("0x000000000000000000000000000000000000DEad")]));
    assert_eq!(path, "args[0]");
    assert!(rule.contains("EIP-55"), "{rule}");
}

#[test]
fn fragments_that_are_not_one_function_are_refused() {
    for fragment in [
        json!(null),
        json!(5),
        json!([]),
        json!(""),
        json!("event Transfer(address)"),
        json!("function"),
        json!("function f(uint256"),
        json!("f(uint256) view returns"),
        json!("f(uint256) sideways"),
        json!("f(uint256,) view"),
        json!("f(uint256 a b)"),
        json!("f() view pure"),
        json!("f() ) "),
        json!({"type": "function", "name": "f", "inputs": [], "outputs": [], "stateMutability": "maybe"}),
        json!({"type": "function", "name": "f", "inputs": [{"type": "bool", "name": "a b"}], "outputs": []}),
        json!("function f(thing)"),
        json!({"type": "event", "name": "f", "inputs": []}),
        json!({"type": "function"}),
        json!({"type": "function", "name": "f", "inputs": [{"type": "uint7", "name": ""}], "outputs": []}),
        json!({"type": "function", "name": "f", "inputs": [{"type": "tuple", "name": ""}], "outputs": []}),
        json!({"type": "function", "name": "f", "inputs": [{"type": "uint8[0]", "name": ""}], "outputs": []}),
        json!({"type": "function", "name": "f", "inputs": [{"type": "bool[9999999999]", "name": ""}], "outputs": []}),
        json!({"type": "function", "name": "f(", "inputs": [], "outputs": []}),
        json!("x".repeat(MAX_FRAGMENT_BYTES + 1)),
        json!(format!(
            "f({}uint8{})",
            "(".repeat(5_000),
            ")".repeat(5_000)
        )),
    ] {
        let (path, _) = error(FunctionAbi::parse(&fragment));
        assert!(path.starts_with("abi"), "{fragment}: {path}");
    }
}

#[test]
fn results_are_json() {
    let f =
        function("f() view returns ((uint256 amount, address who), string[], int16, bool, bytes)");
    let encoded = DynSolValue::Tuple(vec![
        DynSolValue::Tuple(vec![
            DynSolValue::Uint(alloy::primitives::U256::MAX, 256),
            DynSolValue::Address(DEAD.parse().unwrap()),
        ]),
        DynSolValue::Array(vec![
            DynSolValue::String("é".into()),
            DynSolValue::String(String::new()),
        ]),
        DynSolValue::Int(alloy::primitives::I256::MINUS_ONE, 16),
        DynSolValue::Bool(true),
        DynSolValue::Bytes(vec![1, 2]),
    ])
    .abi_encode_params();
    assert_eq!(
        f.decode_output(&encoded).unwrap(),
        json!([
            {"amount": crate::Amount::MAX.to_string(), "who": DEAD},
            ["é", ""], "-1", true, "0x0102"
        ])
    );
    assert_eq!(
        function("f() view returns (uint8)")
            .decode_output(&[0; 32])
            .unwrap(),
        json!("0")
    );
    assert_eq!(
        function("f() view").decode_output(&[]).unwrap(),
        Value::Null
    );
}

#[test]
fn results_that_do_not_fit_the_fragment_are_refused() {
    let refused = |text: &str, data: &[u8]| error(function(text).decode_output(data)).1;
    assert!(refused("f() view returns (uint256)", &[]).contains("ends before"));
    assert!(refused("f() view returns (uint8)", &[1; 32]).contains("encoded uint8"));
    assert!(refused("f() view returns (int8)", &[1; 32]).contains("encoded int8"));
    assert!(refused("f() view returns (bool)", &[1; 32]).contains("encoded bool"));
    assert!(refused("f() view returns (address)", &[1; 32]).contains("encoded address"));
    assert!(refused("f() view returns (bytes4)", &[1; 32]).contains("encoded bytes4"));
    assert!(refused("f() view returns (string)", &[0xff; 64]).contains("ends before"));
    let mut text = vec![0; 96];
    (text[31], text[63], text[64]) = (32, 1, 0xff);
    assert!(refused("f() view returns (string)", &text).contains("UTF-8"));
}

#[test]
fn a_small_answer_that_describes_billions_of_values_is_refused() {
    // Level k is an array of 100 items that all lie at the same place, level k + 1.
    let mut data = Vec::new();
    let word = |n: u16| [vec![0; 30], n.to_be_bytes().to_vec()].concat();
    data.extend(word(32));
    for _ in 0..5 {
        data.extend(word(100));
        data.extend(std::iter::repeat_n(word(100 * 32), 100).flatten());
    }
    data.extend(word(1));
    data.extend(word(7));
    let rule = error(function("f() view returns (uint8[][][][][][])").decode_output(&data)).1;
    assert!(rule.contains("more than 16384 values"), "{rule}");
}

/// A type with a value of it. Arrays repeat one value, so that their items have one type.
fn typed_value() -> impl Strategy<Value = (DynSolType, DynSolValue)> {
    let leaf = prop_oneof![
        (1_usize..=32, any::<[u8; 32]>()).prop_map(|(bytes, word)| {
            let number = alloy::primitives::U256::from_be_bytes(word) >> (256 - bytes * 8);
            (
                DynSolType::Uint(bytes * 8),
                DynSolValue::Uint(number, bytes * 8),
            )
        }),
        (1_usize..=32, any::<[u8; 32]>()).prop_map(|(bytes, word)| {
            let number = alloy::primitives::I256::from_be_bytes(word).asr(256 - bytes * 8);
            (
                DynSolType::Int(bytes * 8),
                DynSolValue::Int(number, bytes * 8),
            )
        }),
        any::<[u8; 20]>().prop_map(|b| (DynSolType::Address, DynSolValue::Address(b.into()))),
        any::<bool>().prop_map(|b| (DynSolType::Bool, DynSolValue::Bool(b))),
        any::<[u8; 32]>().prop_map(|b| (
            DynSolType::FixedBytes(32),
            DynSolValue::FixedBytes(b.into(), 32)
        )),
        any::<Vec<u8>>().prop_map(|b| (DynSolType::Bytes, DynSolValue::Bytes(b))),
        ".{0,40}".prop_map(|text| (DynSolType::String, DynSolValue::String(text))),
    ];
    leaf.prop_recursive(4, 24, 4, |inner| {
        prop_oneof![
            (inner.clone(), 0_usize..4).prop_map(|((ty, value), count)| {
                (
                    DynSolType::Array(Box::new(ty)),
                    DynSolValue::Array(vec![value; count]),
                )
            }),
            (inner.clone(), 1_usize..4).prop_map(|((ty, value), count)| {
                let ty = DynSolType::FixedArray(Box::new(ty), count);
                (ty, DynSolValue::FixedArray(vec![value; count]))
            }),
            prop::collection::vec(inner, 1..4).prop_map(|members| {
                let (types, values) = members.into_iter().unzip();
                (DynSolType::Tuple(types), DynSolValue::Tuple(values))
            }),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 192, ..ProptestConfig::default() })]

    /// alloy is the oracle: what it encodes, we decode to JSON, encode again, and get its bytes.
    #[test]
    fn decoding_and_encoding_agree_with_alloy((ty, value) in typed_value()) {
        // alloy writes a tuple of one as `(uint8,)`.
        let f = function(&format!("f({})", ty.sol_type_name().replace(",)", ")")));
        let expected = DynSolValue::Tuple(vec![value]).abi_encode_params();
        let mut call = f.selector().to_vec();
        call.extend(&expected);
        let args = f.decode_call(&call).unwrap();
        let again = f.encode_call(&args).unwrap();
        prop_assert_eq!(again.bytes(), call);
    }

    #[test]
    fn no_fragment_panics(text in "(function )?[a-z]{0,3}\\(?[a-z0-9\\[\\](), ]{0,60}\\)?.{0,20}") {
        let _ = FunctionAbi::parse_text(&text);
    }

    #[test]
    fn no_answer_panics(data in prop::collection::vec(prop_oneof![Just(0_u8), Just(32), any::<u8>()], 0..320)) {
        for text in [
            "f() view returns (string, bytes, uint8[])",
            "f() view returns ((uint8, string)[], bytes3[2][])",
            "f() view returns (int64, (bool, address)[3])",
        ] {
            let _ = function(text).decode_output(&data);
        }
    }
}
