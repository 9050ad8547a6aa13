//! Flight sessions of the front ends: tokens, limits, idle time, prepared statements.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use crate::cluster::lock;
use crate::sql::engine::Session;

/// One session: what a Bearer token stands for on the front end that gave it.
pub(crate) struct FlightSession {
    /// Connection id.
    pub(crate) id: u64,
    /// Account.
    pub(crate) user: String,
    /// Client address, as it begins the handles of results that the front end keeps.
    pub(crate) peer: String,
    /// Index of the front end.
    pub(crate) frontend: usize,
    /// Held while a command runs: commands of one session are serialised.
    pub(crate) commands: tokio::sync::Mutex<Session>,
    token: String,
    prepared: Mutex<HashMap<String, String>>,
    last_used: Mutex<Instant>,
    idle_limit: Mutex<Option<Duration>>,
    closed: AtomicBool,
}

impl FlightSession {
    pub(crate) fn token(&self) -> &str {
        &self.token
    }

    /// Keeps a statement under a new handle `<peer>:<uuid>`.
    pub(crate) fn prepare(&self, sql: String) -> String {
        let (hi, lo) = (crate::cluster::random(), crate::cluster::random());
        let handle = format!(
            "{}:{:08x}-{:04x}-{:04x}-{:04x}-{:012x}",
            self.peer,
            hi >> 32,
            (hi >> 16) & 0xffff,
            hi & 0xffff,
            lo >> 48,
            lo & 0xffff_ffff_ffff,
        );
        lock(&self.prepared).insert(handle.clone(), sql);
        handle
    }

    pub(crate) fn prepared(&self, handle: &str) -> Option<String> {
        lock(&self.prepared).get(handle).cloned()
    }

    pub(crate) fn close_prepared(&self, handle: &str) -> bool {
        lock(&self.prepared).remove(handle).is_some()
    }

    /// Whether the session has ended.
    pub(crate) fn is_closed(&self) -> bool {
        self.closed.load(Ordering::Acquire)
    }

    /// Takes over the value of `SET wait_timeout`.
    pub(crate) fn set_idle_limit(&self, limit: Option<Duration>) {
        *lock(&self.idle_limit) = limit;
    }

    fn touch(&self) {
        *lock(&self.last_used) = Instant::now();
    }

    fn is_idle(&self, default_limit: Duration) -> bool {
        let limit = lock(&self.idle_limit).unwrap_or(default_limit);
        // A running command is no idle time.
        self.commands.try_lock().is_ok() && lock(&self.last_used).elapsed() >= limit
    }
}

/// All sessions of all front ends.
#[derive(Default)]
pub(crate) struct Sessions {
    by_token: Mutex<Table>,
}

#[derive(Default)]
struct Table {
    sessions: HashMap<String, Arc<FlightSession>>,
    most: usize,
}

/// What limits new sessions.
pub(crate) struct Limits {
    /// Sessions per front end.
    pub(crate) per_frontend: usize,
    /// Sessions per user and front end.
    pub(crate) per_user: usize,
    /// True: a user beyond the limit loses the session used least lately. False: the login is refused.
    pub(crate) evict: bool,
}

impl Sessions {
    /// Opens a session, or gives the text of the quota that refuses it.
    pub(crate) fn open_session(
        &self,
        engine_session: Session,
        user: &str,
        peer: &str,
        frontend: usize,
        limits: &Limits,
    ) -> Result<Arc<FlightSession>, String> {
        let session = Arc::new(FlightSession {
            id: engine_session.id,
            user: user.to_owned(),
            peer: peer.to_owned(),
            frontend,
            commands: tokio::sync::Mutex::new(engine_session),
            token: new_token(),
            prepared: Mutex::default(),
            last_used: Mutex::new(Instant::now()),
            idle_limit: Mutex::default(),
            closed: AtomicBool::new(false),
        });
        let mut table = lock(&self.by_token);
        let here = table.sessions.values().filter(|other| other.frontend == frontend);
        let (mut total, mut own) = (0, Vec::new());
        for other in here {
            total += 1;
            if other.user == user {
                own.push(other.clone());
            }
        }
        if total >= limits.per_frontend {
            return Err(format!(
                "Reach limit of connections, arrow_flight_max_connections: {}",
                limits.per_frontend
            ));
        }
        if own.len() >= limits.per_user {
            if !limits.evict {
                return Err(format!(
                    "Reach limit of connections of user {user}, max_user_connections: {}",
                    limits.per_user
                ));
            }
            if let Some(oldest) = own.iter().min_by_key(|other| *lock(&other.last_used)) {
                table.remove(&oldest.token);
            }
        }
        table.sessions.insert(session.token.clone(), session.clone());
        table.most = table.most.max(table.sessions.len());
        Ok(session)
    }

    /// The session of a token, if this front end gave it and it is still open.
    pub(crate) fn get(&self, token: &str, frontend: usize) -> Option<Arc<FlightSession>> {
        let session = lock(&self.by_token)
            .sessions
            .get(token)
            .filter(|s| s.frontend == frontend)
            .cloned()?;
        session.touch();
        Some(session)
    }

    /// Closes one session; false when it was closed before.
    pub(crate) fn close(&self, session: &FlightSession) -> bool {
        lock(&self.by_token).remove(&session.token)
    }

    /// Forgets every token of one front end, or of all; gives the ids of the sessions that ended.
    pub(crate) fn drop_all(&self, frontend: Option<usize>) -> Vec<u64> {
        self.drop_where(|session| frontend.is_none_or(|index| session.frontend == index))
    }

    /// Ends the sessions that did nothing for longer than their `wait_timeout`; gives their ids.
    pub(crate) fn drop_idle(&self, default_limit: Duration) -> Vec<u64> {
        self.drop_where(|session| session.is_idle(default_limit))
    }

    pub(crate) fn open(&self) -> usize {
        lock(&self.by_token).sessions.len()
    }

    pub(crate) fn most(&self) -> usize {
        lock(&self.by_token).most
    }

    pub(crate) fn prepared(&self) -> usize {
        lock(&self.by_token)
            .sessions
            .values()
            .map(|session| lock(&session.prepared).len())
            .sum()
    }

    fn drop_where(&self, ends: impl Fn(&FlightSession) -> bool) -> Vec<u64> {
        let mut table = lock(&self.by_token);
        let ended: Vec<_> = table
            .sessions
            .values()
            .filter(|session| ends(session))
            .cloned()
            .collect();
        ended
            .iter()
            .filter(|session| table.remove(&session.token))
            .map(|session| session.id)
            .collect()
    }
}

impl Table {
    fn remove(&mut self, token: &str) -> bool {
        let Some(session) = self.sessions.remove(token) else {
            return false;
        };
        session.closed.store(true, Ordering::Release);
        true
    }
}

/// 26 characters of base32, as a Doris token.
fn new_token() -> String {
    const ALPHABET: &[u8; 32] = b"abcdefghijklmnopqrstuvwxyz234567";
    let mut bits = (u128::from(crate::cluster::random()) << 64) | u128::from(crate::cluster::random());
    let mut token = String::with_capacity(26);
    for _ in 0..26 {
        token.push(char::from(ALPHABET[(bits & 31) as usize]));
        bits >>= 5;
    }
    token
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    fn engine_session(id: u64) -> Session {
        Session {
            id,
            user: "root".to_owned(),
            database: None,
            variables: BTreeMap::new(),
            frontend: None,
            transaction: None,
        }
    }

    fn limits(per_user: usize, evict: bool) -> Limits {
        Limits {
            per_frontend: 3,
            per_user,
            evict,
        }
    }

    #[test]
    fn a_token_opens_its_session_on_its_front_end_until_it_is_closed() {
        let sessions = Sessions::default();
        let session = sessions
            .open_session(engine_session(1), "root", "p", 0, &limits(9, false))
            .unwrap();
        assert_eq!(session.token().len(), 26);
        assert!(sessions.get(session.token(), 0).is_some());
        assert!(sessions.get(session.token(), 1).is_none());
        assert!(sessions.close(&session));
        assert!(!sessions.close(&session));
        assert!(session.is_closed());
        assert!(sessions.get(session.token(), 0).is_none());
        assert_eq!((sessions.open(), sessions.most()), (0, 1));
    }

    #[test]
    fn limits_refuse_or_evict() {
        let sessions = Sessions::default();
        let open = |id, user, limits| sessions.open_session(engine_session(id), user, "p", 0, &limits);
        let first = open(1, "a", limits(1, false)).unwrap();
        assert!(
            open(2, "a", limits(1, false))
                .err()
                .unwrap()
                .contains("max_user_connections: 1")
        );
        open(3, "a", limits(1, true)).unwrap();
        assert!(first.is_closed());
        open(4, "b", limits(1, false)).unwrap();
        open(5, "c", limits(1, false)).unwrap();
        let refusal = open(6, "d", limits(1, false)).err().unwrap();
        assert!(refusal.contains("arrow_flight_max_connections: 3"), "{refusal}");
    }

    #[test]
    fn idle_sessions_end_and_busy_ones_stay() {
        let sessions = Sessions::default();
        let idle = sessions
            .open_session(engine_session(1), "a", "p", 0, &limits(9, false))
            .unwrap();
        let busy = sessions
            .open_session(engine_session(2), "a", "p", 0, &limits(9, false))
            .unwrap();
        let _running = busy.commands.try_lock().unwrap();
        assert_eq!(sessions.drop_idle(Duration::ZERO), [1]);
        assert!(idle.is_closed() && !busy.is_closed());
    }
}
