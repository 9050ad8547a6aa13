//! The transaction table alone: what holds whatever the channels do.

use std::sync::Arc;

use super::{Begin, LoadKind, Transactions, TxnError, TxnState, Which, Work};
use crate::profile::load::LoadSwitches;
use crate::store::catalog::Catalog;

fn begin<'a>(label: Option<&'a str>) -> Begin<'a> {
    Begin {
        database: "db",
        table: "t",
        table_id: 1,
        label,
        kind: LoadKind::StreamLoad,
        two_phase: true,
        timeout_s: Some(60),
    }
}

fn table(switches: LoadSwitches) -> (Arc<Catalog>, Arc<Transactions>) {
    let catalog: Arc<Catalog> = Arc::default();
    (catalog.clone(), Transactions::new(catalog, switches))
}

#[test]
fn a_transaction_that_is_dropped_is_aborted_and_its_label_free() {
    let (_, transactions) = table(LoadSwitches::default());
    let open = transactions.begin(&begin(Some("l"))).ok();
    assert_eq!(transactions.state("db", "l"), Some(TxnState::Prepare));
    assert!(matches!(
        transactions.begin(&begin(Some("l"))),
        Err(TxnError::LabelInUse { id: 1, .. })
    ));
    drop(open);
    assert_eq!(transactions.list()[0].reason, "sender is gone");
    assert!(transactions.begin(&begin(Some("l"))).is_ok());
}

#[test]
fn a_load_that_ran_out_of_time_cannot_precommit() {
    let (catalog, transactions) = table(LoadSwitches::default());
    let open = transactions.begin(&begin(Some("l"))).ok().unwrap();
    catalog.clock.shift(61_000);
    let refused = open.precommit(Work::default()).unwrap_err();
    assert_eq!(
        refused.text(transactions.switches()),
        "transaction [1] is already aborted. abort reason: timeout by txn manager"
    );
}

#[test]
fn a_clock_that_goes_back_revives_nothing() {
    let (catalog, transactions) = table(LoadSwitches::default());
    let open = transactions.begin(&begin(Some("l"))).ok().unwrap();
    assert!(open.precommit(Work::default()).is_ok());
    catalog.clock.shift(3_700_000);
    transactions.sweep();
    catalog.clock.shift(-3_700_000);
    assert_eq!(transactions.state("db", "l"), Some(TxnState::Aborted));
    assert!(matches!(
        transactions.abort("db", Which::Id(1), "x"),
        Err(TxnError::Decided { .. })
    ));
}

#[test]
fn a_forgotten_label_of_an_older_transaction_does_not_take_the_newer_one_along() {
    let (catalog, transactions) = table(LoadSwitches::default());
    drop(transactions.begin(&begin(Some("l"))));
    catalog.clock.shift(43_000_000);
    let open = transactions.begin(&begin(Some("l"))).ok().unwrap();
    assert!(open.precommit(Work::default()).is_ok());
    catalog.clock.shift(1_000_000);
    assert_eq!(transactions.list().len(), 1);
    assert_eq!(transactions.state("db", "l"), Some(TxnState::Precommitted));
}

#[test]
fn labels_are_letters_of_any_script_and_128_characters_at_most() {
    let (_, transactions) = table(LoadSwitches::default());
    for label in ["", "a.b", "a b", "a€", &"x".repeat(129)] {
        let refused = transactions.begin(&begin(Some(label))).err().unwrap();
        assert!(matches!(refused, TxnError::BadLabel(_)), "{label}");
    }
    for label in ["ä_Ω-名:1", &"x".repeat(128), &"ä".repeat(128)] {
        assert!(transactions.begin(&begin(Some(label))).is_ok(), "{label}");
    }
    assert!(transactions.begin(&begin(None)).is_ok());
}
