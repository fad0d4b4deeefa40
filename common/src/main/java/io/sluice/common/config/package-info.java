/**
 * Typed configuration: keys declared beside the component that uses them, gathered in a schema,
 * read once at start into an immutable set, every problem reported at once.
 *
 * <p>Thread model: everything here is immutable once built, except the builders and {@link
 * io.sluice.common.config.ConfigReader}, which belong to the one thread that starts the process.
 * Anybody may depend on this package; it depends on nobody.
 */
package io.sluice.common.config;
