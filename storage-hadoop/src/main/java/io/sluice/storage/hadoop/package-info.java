/**
 * Remote tier of a shuffle server on a Hadoop {@code FileSystem}: HDFS, object stores through their
 * connectors, and {@code file:}. Loaded in a separate class loader together with Hadoop's client.
 * {@link io.sluice.storage.hadoop.HadoopFileSystem} is thread-safe and has no threads; {@link
 * io.sluice.storage.hadoop.KerberosLogin} has one thread, which renews the ticket.
 */
package io.sluice.storage.hadoop;
