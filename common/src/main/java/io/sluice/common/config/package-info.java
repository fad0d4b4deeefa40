/**
 * Typed configuration: keys are declared beside the component that uses them, collected in a
 * schema, and read once at start into an immutable set. All problems are reported at once.
 *
 * <p>Thread model: everything here is immutable once built, except the builders and {@link
 * io.sluice.common.config.ConfigReader}, which are confined to the thread that starts the process.
 * Every package may depend on this one; it depends on no other package.
 */
package io.sluice.common.config;
