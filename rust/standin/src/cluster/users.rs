//! Accounts: a name and a password, checked the same way on every channel.

use std::collections::BTreeMap;
use std::sync::{Arc, RwLock};

use base64::Engine as _;
use base64::alphabet;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
use mysql_common::scramble::scramble_native;

use crate::cluster::{read, write};

/// What names and passwords are read with: some clients, the Flight SQL driver of ADBC among them, leave the padding out.
const CREDENTIALS: GeneralPurpose = GeneralPurpose::new(
    &alphabet::STANDARD,
    GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent),
);

/// The accounts of the cluster; clones are the same accounts. `root` exists with an empty password unless it is given another one.
#[derive(Clone)]
pub struct Users {
    passwords: Arc<RwLock<BTreeMap<String, String>>>,
}

impl Users {
    /// Accounts from `(name, password)` pairs; the last pair of a name wins.
    pub fn new(pairs: impl IntoIterator<Item = (String, String)>) -> Self {
        let mut passwords = BTreeMap::from([("root".to_owned(), String::new())]);
        passwords.extend(pairs);
        Self {
            passwords: Arc::new(RwLock::new(passwords)),
        }
    }

    /// Adds accounts, or gives them other passwords; the last pair of a name wins.
    pub(crate) fn extend(&self, pairs: impl IntoIterator<Item = (String, String)>) {
        write(&self.passwords).extend(pairs);
    }

    /// Adds an account; false when there is one of its name.
    pub(crate) fn add(&self, user: &str, password: &str) -> bool {
        let mut passwords = write(&self.passwords);
        let new = !passwords.contains_key(user);
        if new {
            passwords.insert(user.to_owned(), password.to_owned());
        }
        new
    }

    /// Takes an account away; false when there is none of that name.
    pub(crate) fn remove(&self, user: &str) -> bool {
        write(&self.passwords).remove(user).is_some()
    }

    /// Whether name and password belong together. `user@cluster` and `cluster:user` are tolerated as Doris tolerates them.
    pub fn check(&self, user: &str, password: &str) -> bool {
        self.password_of(user)
            .is_some_and(|expected| expected == password)
    }

    /// Checks the answer of a MySQL client to the challenge of `mysql_native_password`.
    pub(crate) fn check_native(&self, user: &str, nonce: &[u8], answer: &[u8]) -> bool {
        let Some(expected) = self.password_of(user) else {
            return false;
        };
        match scramble_native(nonce, expected.as_bytes()) {
            Some(scramble) => answer == scramble,
            None => answer.is_empty(),
        }
    }

    /// Checks an `Authorization` value; the error is the text that Doris gives, without the password.
    pub(crate) fn check_basic(&self, value: &str, peer_ip: &str) -> Result<String, String> {
        let (user, password) = parse_basic(value).ok_or_else(|| "Need auth information.".to_owned())?;
        if self.check(&user, &password) {
            return Ok(plain_name(&user).to_owned());
        }
        Err(refused(&user, peer_ip, !password.is_empty()))
    }

    fn password_of(&self, user: &str) -> Option<String> {
        let passwords = read(&self.passwords);
        let found = passwords.get(user).or_else(|| passwords.get(plain_name(user)));
        found.cloned()
    }
}

/// Doris' words for a wrong name or password.
pub(crate) fn refused(user: &str, peer_ip: &str, with_password: bool) -> String {
    let used = if with_password { "YES" } else { "NO" };
    format!("Access denied for user '{user}@{peer_ip}' (using password: {used})")
}

/// Splits a Basic value at the first colon, since a password may contain more of them.
pub(crate) fn parse_basic(value: &str) -> Option<(String, String)> {
    let (scheme, encoded) = value.trim().split_once(' ')?;
    if !scheme.eq_ignore_ascii_case("basic") {
        return None;
    }
    let bytes = CREDENTIALS.decode(encoded.trim()).ok()?;
    let text = String::from_utf8(bytes).ok()?;
    let (user, password) = text.split_once(':')?;
    Some((user.to_owned(), password.to_owned()))
}

fn plain_name(user: &str) -> &str {
    let user = user.rsplit(':').next().unwrap_or(user);
    user.split('@').next().unwrap_or(user)
}

#[cfg(test)]
mod tests {
    use base64::prelude::{BASE64_STANDARD, BASE64_STANDARD_NO_PAD};

    use super::*;

    fn basic(text: &str) -> String {
        format!("Basic {}", BASE64_STANDARD.encode(text))
    }

    #[test]
    fn a_password_may_hold_colons_and_more() {
        let users = Users::new([("flink".to_owned(), "p@ss:w/ö rd%".to_owned())]);
        assert_eq!(
            users.check_basic(&basic("flink:p@ss:w/ö rd%"), "1.2.3.4"),
            Ok("flink".to_owned())
        );
        assert_eq!(
            users
                .check_basic(&basic("flink@default_cluster:p@ss:w/ö rd%"), "1.2.3.4")
                .as_deref(),
            Ok("flink")
        );
        assert_eq!(
            users.check_basic(&basic("root:"), "1.2.3.4").as_deref(),
            Ok("root")
        );
    }

    #[test]
    fn credentials_are_read_with_padding_and_without() {
        let users = Users::new([("flink".to_owned(), "pw".to_owned())]);
        for text in ["root:", "flink:pw", "flink@default_cluster:pw"] {
            let bare = BASE64_STANDARD_NO_PAD.encode(text);
            for value in [basic(text), format!("Basic {bare}"), format!("basic {bare}")] {
                let name = text.split([':', '@']).next().unwrap().to_owned();
                assert_eq!(users.check_basic(&value, "1.2.3.4"), Ok(name), "{value}");
            }
        }
        assert!(
            users
                .check_basic(
                    &format!("Basic {}", BASE64_STANDARD_NO_PAD.encode("root:x")),
                    "1.2.3.4"
                )
                .is_err()
        );
    }

    #[test]
    fn accounts_are_added_and_taken_away_for_every_channel() {
        let users = Users::new([]);
        let channel = users.clone();
        assert!(users.add("ann", "p"));
        assert!(!users.add("ann", "q"));
        assert!(channel.check("ann", "p"));
        users.extend([("ann".to_owned(), "q".to_owned())]);
        assert!(channel.check("ann", "q") && !channel.check("ann", "p"));
        assert!(users.remove("ann"));
        assert!(!users.remove("ann"));
        assert!(!channel.check("ann", "q"));
    }

    #[test]
    fn a_refusal_names_the_user_and_not_the_password() {
        let users = Users::new([]);
        let refusal = users.check_basic(&basic("root:secret"), "1.2.3.4").unwrap_err();
        assert_eq!(
            refusal,
            "Access denied for user 'root@1.2.3.4' (using password: YES)"
        );
        assert_eq!(
            users.check_basic(&basic("nobody:"), "1.2.3.4").unwrap_err(),
            "Access denied for user 'nobody@1.2.3.4' (using password: NO)"
        );
        assert_eq!(
            users.check_basic("Bearer x", "1.2.3.4").unwrap_err(),
            "Need auth information."
        );
    }

    #[test]
    fn native_answers_are_computed_from_the_nonce() {
        let users = Users::new([("a".to_owned(), "b".to_owned())]);
        let nonce = [7u8; 20];
        let right = scramble_native(&nonce, b"b").unwrap();
        assert!(users.check_native("a", &nonce, &right));
        assert!(!users.check_native("a", &[8u8; 20], &right));
        assert!(!users.check_native("a", &nonce, b""));
        assert!(users.check_native("root", &nonce, b""));
        assert!(!users.check_native("nobody", &nonce, b""));
    }
}
