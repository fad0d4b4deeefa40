/**
 * Reading run files without their server, where the client can reach them: on the same host through
 * descriptors that the server hands out, or on a file system that both know. Everything in here is
 * an attempt: what does not work is fetched from the server instead. Files are read on a few
 * threads of {@link io.sluice.client.file.NamedRunFiles}; all classes are thread-safe.
 */
package io.sluice.client.file;
