/**
 * The REST API: the published state and the history as resources, and the routes to them. The
 * resources are what {@code docs/openapi.yaml} describes; fields are only ever added.
 *
 * <p>Stateless; called from HTTP threads.
 */
package io.sluice.coordinator.api;
