package io.sluice.cli;

import java.util.Map;

/**
 * A started process.
 *
 * @param name for log lines
 * @param ports what to write to the ready file, such as {@code rpc.port} to 19999
 * @param stop the clean stop; bounded in time, idempotent
 */
record Service(String name, Map<String, Integer> ports, AutoCloseable stop) {}
