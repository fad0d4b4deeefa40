/**
 * Direct reads of run files on a Hadoop file system, for clients with Hadoop on their class path,
 * such as those of Spark. {@link io.sluice.client.file.hadoop.HadoopRunFilesService} is a service
 * provider; it and {@link io.sluice.client.file.hadoop.HadoopRunFiles} reference no class of
 * Hadoop, and the other classes are loaded only if Hadoop is available. All classes are
 * thread-safe; separate threads wait for the file system, so that a hanging file system blocks no
 * other work.
 */
package io.sluice.client.file.hadoop;
