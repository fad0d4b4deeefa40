/**
 * Codecs of block payloads. The libraries are the engine's own and are loaded when first used.
 * Instances belong to one thread; the factories are stateless.
 */
package io.sluice.client.compress;
