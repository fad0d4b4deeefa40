/**
 * Tests the storage engine against a simple model, in one thread: {@link
 * io.sluice.server.model.StoreModelTest} runs many {@link io.sluice.server.model.Schedule}s.
 */
package io.sluice.server.model;
