/**
 * What the figures of a process are named and mean, without the library that publishes them: clients
 * have this module too. Immutable.
 */
package io.sluice.common.metrics;
