/**
 * The coordinator's gRPC services: decode a call, submit it to the state owner, send the reply.
 * Decisions are in the {@code state} package. Calls run on the event loops and never block; replies
 * are sent on the state thread.
 */
package io.sluice.coordinator.service;
