/**
 * Spans of OpenTelemetry for the pushes and reads of tasks.
 *
 * <p>Thread model: all classes are thread-safe; a span begins and ends on the task thread. The API
 * of OpenTelemetry is not part of the client jars: jobs that want traces have it on their class
 * path, and only {@code OpenTelemetryTraces} refers to it.
 */
package io.sluice.client.trace;
