//! What the tests ask the node themselves: nothing of what they examine is in between.

use std::io::{Read as _, Write as _};
use std::net::TcpStream;

use serde_json::{Value, json};

/// Anvil's first account, which sends.
pub(crate) const SENDER: &str = "0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266";

/// A node on this machine.
#[derive(Debug, Clone)]
pub(crate) struct Chain {
    address: String,
}

impl Chain {
    pub(crate) fn at(url: &str) -> Self {
        Self {
            address: url.strip_prefix("http://").unwrap().to_owned(),
        }
    }

    pub(crate) fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    pub(crate) fn mine(&self, blocks: u64) {
        self.ask("anvil_mine", json!([format!("0x{blocks:x}")]));
    }

    pub(crate) fn balance(&self, account: &str) -> u128 {
        number(&self.ask("eth_getBalance", json!([account, "latest"])))
    }

    /// How many transactions of the sender are in blocks.
    pub(crate) fn sent(&self) -> u128 {
        number(&self.ask("eth_getTransactionCount", json!([SENDER, "latest"])))
    }

    pub(crate) fn ask(&self, method: &str, params: Value) -> Value {
        let body =
            json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params }).to_string();
        let mut stream = TcpStream::connect(&self.address).unwrap();
        let head = format!(
            "POST / HTTP/1.1\r\nHost: {}\r\nContent-Type: application/json\r\nConnection: close\r\n\
             Content-Length: {}\r\n\r\n",
            self.address,
            body.len()
        );
        stream.write_all((head + &body).as_bytes()).unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        let (_, body) = answer.split_once("\r\n\r\n").unwrap();
        let answer: Value = serde_json::from_str(body).unwrap();
        assert!(answer.get("error").is_none(), "{method}: {answer}");
        answer["result"].clone()
    }
}

fn number(quantity: &Value) -> u128 {
    let digits = quantity.as_str().unwrap().strip_prefix("0x").unwrap();
    u128::from_str_radix(digits, 16).unwrap()
}
