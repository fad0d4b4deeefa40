/**
 * Run files that servers keep on a Hadoop file system, read without them by clients that have
 * Hadoop on their class path, as Spark's have. {@link
 * io.sluice.client.file.hadoop.HadoopRunFilesService} is found as a service; it and {@link
 * io.sluice.client.file.hadoop.HadoopRunFiles} name no class of Hadoop, and the others are loaded
 * when there is one. All classes are thread-safe; a few threads of their own wait for the file
 * system, so that one that hangs holds up nobody.
 */
package io.sluice.client.file.hadoop;
