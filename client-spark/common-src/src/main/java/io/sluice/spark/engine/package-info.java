/**
 * Native engines, which write and read shuffles in formats of their own: what the shuffle manager
 * needs of one, and which of them this process has. Knows no other package of the plugin, because
 * implementations are compiled against these classes alone.
 */
package io.sluice.spark.engine;
