//! The nodes of a cluster and their listeners: start, stop, start again on the same ports.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use tokio::net::TcpListener;
use tokio::sync::Mutex;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use crate::cluster::write;
use crate::config::{Result, StandinError};
use crate::control::stats::Stats;
use crate::flight::Flight;
use crate::flight::be::BackendFlight;
use crate::flight::fe::FrontendFlight;
use crate::net::Incoming;
use crate::shared::Shared;
use crate::{be, fe, flight, mysql};

/// How often idle sessions and forgotten results are looked for.
const SWEEP: Duration = Duration::from_millis(200);

/// How long a listener that was stopped may take to end before its task is aborted.
const END_WITHIN: Duration = Duration::from_millis(500);

/// What a listener serves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Service {
    FrontendHttp(usize),
    FrontendMysql(usize),
    FrontendFlight(usize),
    BackendHttp(usize),
    BackendFlight(usize),
    Admin,
}

impl Service {
    fn is_frontend(self, index: usize) -> bool {
        matches!(self, Self::FrontendHttp(at) | Self::FrontendMysql(at) | Self::FrontendFlight(at) if at == index)
    }

    fn is_backend(self, index: usize) -> bool {
        matches!(self, Self::BackendHttp(at) | Self::BackendFlight(at) if at == index)
    }

    /// Option that names the port.
    pub(crate) fn option(self) -> &'static str {
        match self {
            Self::FrontendHttp(_) => "--fe-http",
            Self::FrontendMysql(_) => "--mysql",
            Self::FrontendFlight(_) => "--fe-flight",
            Self::BackendHttp(_) => "--be-http",
            Self::BackendFlight(_) => "--be-flight",
            Self::Admin => "--admin",
        }
    }
}

/// A listener that is bound but not served yet.
pub(crate) struct Bound {
    pub(crate) service: Service,
    pub(crate) address: SocketAddr,
    pub(crate) listener: TcpListener,
}

/// Binds a listener; the error names address and option.
pub(crate) async fn bind(service: Service, host: &str, port: u16) -> Result<Bound> {
    let failed = |source| StandinError::Listen {
        address: format!("{host}:{port}"),
        option: service.option(),
        source,
    };
    let listener = TcpListener::bind((host, port)).await.map_err(failed)?;
    let address = listener.local_addr().map_err(failed)?;
    Ok(Bound {
        service,
        address,
        listener,
    })
}

/// All listeners of a cluster. Stopping and starting are serialised.
pub(crate) struct Nodes {
    shared: Arc<Shared>,
    flight: Arc<Flight>,
    ports: Mutex<Vec<Port>>,
    end: CancellationToken,
}

struct Port {
    service: Service,
    address: SocketAddr,
    running: Option<Running>,
}

struct Running {
    stop: CancellationToken,
    task: JoinHandle<()>,
}

impl Running {
    async fn end(self) {
        self.stop.cancel();
        let abort = self.task.abort_handle();
        if tokio::time::timeout(END_WITHIN, self.task).await.is_err() {
            abort.abort();
        }
    }
}

impl Nodes {
    /// Serves the bound listeners, all but the admin port.
    pub(crate) async fn start(
        shared: Arc<Shared>,
        flight: Arc<Flight>,
        bound: Vec<Bound>,
        end: CancellationToken,
    ) -> Arc<Self> {
        let nodes = Arc::new(Self {
            shared,
            flight,
            ports: Mutex::default(),
            end,
        });
        let mut ports = nodes.ports.lock().await;
        for Bound {
            service,
            address,
            listener,
        } in bound
        {
            let running = nodes.serve(service, listener);
            ports.push(Port {
                service,
                address,
                running,
            });
        }
        drop(ports);
        tokio::spawn(sweep(
            nodes.shared.clone(),
            nodes.flight.clone(),
            nodes.end.clone(),
        ));
        nodes
    }

    /// Serves one more listener, which ends with the others.
    pub(crate) async fn add<F>(&self, bound: Bound, serve: impl FnOnce(Incoming) -> F)
    where
        F: Future<Output = ()> + Send + 'static,
    {
        let stop = self.end.child_token();
        let task = tokio::spawn(until(
            stop.clone(),
            serve(Incoming::new(bound.listener, stop.clone())),
        ));
        self.ports.lock().await.push(Port {
            service: bound.service,
            address: bound.address,
            running: Some(Running { stop, task }),
        });
    }

    #[cfg(test)]
    pub(crate) fn flight(&self) -> &Arc<Flight> {
        &self.flight
    }

    pub(crate) fn shared(&self) -> &Arc<Shared> {
        &self.shared
    }

    pub(crate) fn stats(&self) -> Stats {
        use std::sync::atomic::Ordering::Relaxed;
        let counters = &self.shared.counters;
        let loads = counters.loads.tables();
        Stats {
            flight_sessions: self.flight.sessions.open() as u64,
            flight_sessions_max: self.flight.sessions.most() as u64,
            flight_logins: counters.flight_logins.load(Relaxed),
            flight_queries: counters.flight_queries.now(),
            flight_statements: counters.flight_statements.load(Relaxed),
            flight_streams: counters.flight_streams.now(),
            flight_streams_max: counters.flight_streams.most(),
            flight_results: self.flight.results.len() as u64,
            flight_prepared: self.flight.sessions.prepared() as u64,
            mysql_connections: counters.mysql_connections.now(),
            rows_served: counters.rows_served.load(Relaxed),
            bytes_served: counters.bytes_served.load(Relaxed),
            batches_served: counters.batches_served.load(Relaxed),
            rows_per_backend: counters.rows_per_backend(),
            loads_open: counters.loads.open.now(),
            loads_open_max: counters.loads.open.most(),
            bytes_taken: loads.values().map(|table| table.bytes).sum(),
            rows_taken: loads.values().map(|table| table.rows).sum(),
            loads,
        }
    }

    pub(crate) async fn stop_backend(&self, index: usize) -> Result<()> {
        self.set_backend(index, false)?;
        self.stop(|service| service.is_backend(index)).await;
        // What a back end holds dies with it.
        self.flight.results.drop_backend(index);
        Ok(())
    }

    pub(crate) async fn start_backend(&self, index: usize) -> Result<()> {
        self.backend_exists(index)?;
        self.resume(|service| service.is_backend(index)).await?;
        self.set_backend(index, true)
    }

    pub(crate) async fn stop_frontend(&self, index: usize) -> Result<()> {
        self.set_frontend(index, false)?;
        self.stop(|service| service.is_frontend(index)).await;
        let ended = self.flight.sessions.drop_all(Some(index));
        self.flight.results.drop_sessions(&ended);
        Ok(())
    }

    pub(crate) async fn start_frontend(&self, index: usize) -> Result<()> {
        if self.shared.cluster.frontends().len() <= index {
            return Err(StandinError::Config(format!("no front end {index}")));
        }
        self.resume(|service| service.is_frontend(index)).await?;
        self.set_frontend(index, true)
    }

    /// Lets a front end fall behind the master, or catch up with zero.
    pub(crate) fn lag_frontend(&self, index: usize, behind: Duration) -> Result<()> {
        let cluster = &self.shared.cluster;
        if cluster.frontends().len() <= index {
            return Err(StandinError::Config(format!("no front end {index}")));
        }
        if cluster.master() == Some(index) && !behind.is_zero() {
            return Err(StandinError::Config(format!(
                "front end {index} is the master, which does not lag"
            )));
        }
        self.shared.engine.set_lag(index, behind);
        Ok(())
    }

    /// Lets a front end ignore `@incr`, or know it again.
    pub(crate) fn ignore_incr(&self, index: usize, ignored: bool) -> Result<()> {
        if self.shared.cluster.frontends().len() <= index {
            return Err(StandinError::Config(format!("no front end {index}")));
        }
        self.shared.engine.catalog().ignore_incr(index, ignored);
        Ok(())
    }

    /// Forgets all Flight tokens; gives how many.
    pub(crate) fn drop_sessions(&self) -> usize {
        let ended = self.flight.sessions.drop_all(None);
        self.flight.results.drop_sessions(&ended);
        ended.len()
    }

    /// Ends everything, requests that a rule holds included.
    pub(crate) async fn end(&self) {
        self.shared.faults.delete(None);
        self.end.cancel();
        self.stop(|_| true).await;
        self.shared.loads.end().await;
        self.shared.engine.transactions().end().await;
    }

    async fn stop(&self, chosen: impl Fn(Service) -> bool) {
        let mut ports = self.ports.lock().await;
        let ending: Vec<Running> = ports
            .iter_mut()
            .filter(|port| chosen(port.service))
            .filter_map(|port| port.running.take())
            .collect();
        futures::future::join_all(ending.into_iter().map(Running::end)).await;
    }

    async fn resume(&self, chosen: impl Fn(Service) -> bool) -> Result<()> {
        let mut ports = self.ports.lock().await;
        for port in ports
            .iter_mut()
            .filter(|port| chosen(port.service) && port.running.is_none())
        {
            let bound = bind(port.service, &port.address.ip().to_string(), port.address.port()).await?;
            port.running = self.serve(port.service, bound.listener);
        }
        Ok(())
    }

    /// `None` for the admin port, which the caller adds.
    fn serve(&self, service: Service, listener: TcpListener) -> Option<Running> {
        let stop = self.end.child_token();
        let incoming = Incoming::new(listener, stop.clone());
        let shared = self.shared.clone();
        let task = match service {
            Service::FrontendHttp(index) => {
                tokio::spawn(until(stop.clone(), fe::serve(shared, index, incoming)))
            }
            Service::FrontendMysql(index) => tokio::spawn(mysql::serve(shared, index, incoming)),
            Service::FrontendFlight(index) => {
                let service = FrontendFlight::new(shared, self.flight.clone(), index);
                tokio::spawn(until(stop.clone(), flight::serve::serve(service, incoming)))
            }
            Service::BackendHttp(index) => {
                tokio::spawn(until(stop.clone(), be::serve(shared, index, incoming)))
            }
            Service::BackendFlight(index) => {
                let service = BackendFlight::new(shared, self.flight.clone(), index);
                tokio::spawn(until(stop.clone(), flight::serve::serve(service, incoming)))
            }
            Service::Admin => return None,
        };
        Some(Running { stop, task })
    }

    fn set_backend(&self, index: usize, alive: bool) -> Result<()> {
        match write(&self.shared.cluster.backends).get_mut(index) {
            Some(backend) => backend.alive = alive,
            None => return Err(StandinError::Config(format!("no back end {index}"))),
        }
        Ok(())
    }

    fn backend_exists(&self, index: usize) -> Result<()> {
        if self.shared.cluster.backends().len() <= index {
            return Err(StandinError::Config(format!("no back end {index}")));
        }
        Ok(())
    }

    fn set_frontend(&self, index: usize, alive: bool) -> Result<()> {
        match write(&self.shared.cluster.frontends).get_mut(index) {
            Some(frontend) => frontend.alive = alive,
            None => return Err(StandinError::Config(format!("no front end {index}"))),
        }
        Ok(())
    }
}

/// Runs a server until it ends or its listener is to stop; dropping it closes the listener.
async fn until(stop: CancellationToken, server: impl Future<Output = ()>) {
    tokio::select! {
        () = stop.cancelled() => {}
        () = server => {}
    }
}

/// Ends idle sessions and transactions that ran out of time, and drops results that were not fetched.
async fn sweep(shared: Arc<Shared>, flight: Arc<Flight>, end: CancellationToken) {
    let mut ticks = tokio::time::interval(SWEEP);
    loop {
        tokio::select! {
            () = end.cancelled() => return,
            _ = ticks.tick() => {}
        }
        let ended = flight.sessions.drop_idle(flight.switches.wait_timeout.0);
        flight.results.drop_sessions(&ended);
        flight.results.drop_older(flight.switches.result_age.0);
        shared.engine.transactions().sweep();
    }
}
