/**
 * Hadoop's {@code FileSystem} as a shuffle server's third tier: HDFS, object stores through their
 * connectors, and {@code file:}. Loaded in a class loader of its own, with Hadoop's client beside
 * it. {@link io.sluice.storage.hadoop.HadoopFileSystem} is thread-safe and has no threads; {@link
 * io.sluice.storage.hadoop.KerberosLogin} has one, which keeps the ticket fresh.
 */
package io.sluice.storage.hadoop;
