/**
 * Recovery at the start of a server process: run files are checked against the catalogs and
 * restored to the logs. Also records clean stops.
 *
 * <p>Runs before the server accepts requests and after its last request. Directories are scanned in
 * parallel, each on its own thread; shuffles are restored in parallel.
 */
package io.sluice.server.recovery;
