/**
 * The REST API: the published state and the history as resources, the routes to them, and the
 * orders of operators. The resources are what {@code docs/openapi.yaml} describes; fields are only
 * ever added.
 *
 * <p>Called from HTTP and gRPC threads; {@link io.sluice.coordinator.api.Exclusions} has a thread
 * of its own for the exclude file.
 */
package io.sluice.coordinator.api;
