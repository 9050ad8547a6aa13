# Sourced after env.sh: a standalone Flink of our own ports and folders, and its SQL client.

# Starts a JobManager and a TaskManager: start_flink DIR SLOTS. Sets FLINK_REST, JM_PID, TM_PID; logs go to DIR.
# FLINK_CONFIG: more lines of config.yaml.
start_flink() {
    local dir=$1 slots=${2:-4}
    export FLINK_CONF_DIR=$dir/conf FLINK_LOG_DIR=$dir/log FLINK_PID_DIR=$dir/pid
    mkdir -p "$FLINK_CONF_DIR" "$FLINK_LOG_DIR" "$FLINK_PID_DIR" "$dir/tmp"
    cp "$FLINK_HOME"/conf/log4j*.properties "$FLINK_HOME"/conf/logback*.xml "$FLINK_CONF_DIR/" 2>/dev/null
    FLINK_REST=$(free_port)
    local rpc
    rpc=$(free_port)
    cat >"$FLINK_CONF_DIR/config.yaml" <<Y
jobmanager: {rpc: {address: 127.0.0.1, port: $rpc}, bind-host: 127.0.0.1, memory: {process: {size: 1g}}, execution: {failover-strategy: region}}
taskmanager: {host: 127.0.0.1, bind-host: 127.0.0.1, numberOfTaskSlots: $slots, memory: {process: {size: 1728m}}}
rest: {address: 127.0.0.1, bind-address: 127.0.0.1, port: $FLINK_REST}
blob: {server: {port: "0"}}
io: {tmp: {dirs: $dir/tmp}}
parallelism: {default: 1}
web: {refresh-interval: 200}
${FLINK_CONFIG:-}
Y
    "$FLINK_HOME/bin/jobmanager.sh" start-foreground >"$dir/jobmanager.out" 2>&1 &
    JM_PID=$!
    "$FLINK_HOME/bin/taskmanager.sh" start-foreground >"$dir/taskmanager.out" 2>&1 &
    TM_PID=$!
    "$ROOT/tests/lib/flink-up" "$FLINK_REST" "$slots" "$dir" "$JM_PID" "$TM_PID" || {
        tail -n 20 "$dir/jobmanager.out" "$dir/taskmanager.out" >&2
        die_with_logs "Flink did not come up, logs in $dir"
    }
}
stop_flink() { stop_pid "${TM_PID:-}"; stop_pid "${JM_PID:-}"; }

free_port() { python3 -c 'import socket; s=socket.socket(); s.bind(("127.0.0.1",0)); print(s.getsockname()[1])'; }

# Prints the command that runs a SQL file in the SQL client with the connector loaded and results as tables: sql_client FILE [BEFORE.sql].
# SQL_JARS: more jars.
sql_client() {
    { cat ${2:+"$2"} /dev/null; echo "SET 'sql-client.execution.result-mode' = 'tableau';"; } >"$FLINK_LOG_DIR/init.sql"
    echo "$FLINK_HOME/bin/sql-client.sh -hist $FLINK_LOG_DIR/history -j $CONNECTOR_JAR ${SQL_JARS:+-j $SQL_JARS} -i $FLINK_LOG_DIR/init.sql -f $1"
}

# Runs a SQL file in the SQL client with the connector loaded and results as tables. The client's exit code is 0 even when a statement failed; ours is not.
run_sql() {
    local out=$FLINK_LOG_DIR/sql-client.out
    # shellcheck disable=SC2046
    $(sql_client "$@") 2>&1 |
        sed -u -e 's/\x1b\[[0-9;]*m//g' -e '/^Command history file path/d' -e '/org.jline.utils.Log/d' | tee "$out"
    if grep -q '\[ERROR\] ' "$out"; then
        echo "a statement failed" >&2
        return 1
    fi
}

# A copy of a SQL file whose addresses are those of the running servers.
with_addresses() {
    sed -e "s/127\.0\.0\.1:8030/127.0.0.1:$FE_HTTP/g" -e "s/127\.0\.0\.1:9030/127.0.0.1:$FE_MYSQL/g" "$1" >"$2"
}
