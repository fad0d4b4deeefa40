/**
 * The coordinator's gRPC face: takes a call, hands it to the state's owner, gives the reply back.
 * No rule lives here. Calls run on the event loops and never block; replies are given on the
 * state's thread.
 */
package io.sluice.coordinator.service;
