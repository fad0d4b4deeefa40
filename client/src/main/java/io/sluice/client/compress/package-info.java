/**
 * Codecs of block payloads. The engine provides the libraries, which are loaded on first use.
 * Instances are owned by one thread; the factories are stateless.
 */
package io.sluice.client.compress;
