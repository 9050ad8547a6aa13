-- How an interactive session starts.
SET 'sql-client.execution.result-mode' = 'tableau';
SET 'execution.runtime-mode' = 'batch';
SET 'execution.checkpointing.interval' = '1s';
