/**
 * {@code sluice bench}: load on a running cluster, measured from outside.
 *
 * <p>Thread model: the main thread prepares and waits; requests are made and answered on the
 * transport's few event loops, whatever the number of connections; one scheduler thread renews the
 * lease and sends refused requests again.
 */
package io.sluice.cli.bench;
