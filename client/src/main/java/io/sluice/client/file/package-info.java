/**
 * Direct reads of run files without their server: on the same host with descriptors that the server
 * passes, or on a shared file system. Bytes that cannot be read directly are fetched from the
 * server. Files are read on a few threads of {@link io.sluice.client.file.DirectRunFiles}; all
 * classes are thread-safe.
 */
package io.sluice.client.file;
