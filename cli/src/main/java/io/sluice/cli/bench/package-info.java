/**
 * {@code sluice bench}: generates load on a running cluster and measures it at the client.
 *
 * <p>Thread model: the main thread prepares and waits. Requests are sent and completed on the
 * transport's event loops. One scheduler thread renews the lease and retries refused requests.
 */
package io.sluice.cli.bench;
