/**
 * The REST API: routes, resources made from the published state and the history, and admin
 * operations. {@code openapi.yaml} describes the resources; fields are only ever added.
 *
 * <p>Called from HTTP and gRPC threads; {@link io.sluice.coordinator.api.Exclusions} starts a
 * thread that reads the exclude file.
 */
package io.sluice.coordinator.api;
