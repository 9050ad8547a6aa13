//! The envelope of REST answers: `{"msg":..,"code":..,"data":..,"count":0}`, HTTP status 200 whatever the code.

use serde::Serialize;
use serde_json::Value;

/// An answer; the members are written in this order.
#[derive(Debug, Serialize)]
pub(super) struct Envelope {
    pub(super) msg: &'static str,
    pub(super) code: u16,
    pub(super) data: Value,
    count: u64,
}

impl Envelope {
    pub(super) fn success(data: Value) -> Self {
        Self::of_code(0, data)
    }

    /// A failure that Doris calls a common error.
    pub(super) fn error(text: &str) -> Self {
        Self::of_code(1, text.into())
    }

    pub(super) fn unauthorized(text: String) -> Self {
        Self::of_code(401, text.into())
    }

    pub(super) fn bad_request(text: &str) -> Self {
        Self::of_code(403, text.into())
    }

    pub(super) fn of_code(code: u16, data: Value) -> Self {
        let msg = match code {
            0 => "success",
            401 => "Unauthorized",
            403 => "Bad Request",
            404 => "Not Found",
            500 => "Internal Error",
            _ => "Error",
        };
        Self {
            msg,
            code,
            data,
            count: 0,
        }
    }
}
