package io.sluice.server.service;

import io.sluice.transport.protocol.FrameLimits;

/**
 * What the data service admits.
 *
 * @param limits largest frames
 * @param maxOpenWaitMs longest wait of an OPEN; a request for more gets this
 * @param maxOpenWaits most OPENs that wait at a time; further ones are answered at once
 */
public record ServiceConfig(FrameLimits limits, int maxOpenWaitMs, int maxOpenWaits) {
  public static final ServiceConfig DEFAULT =
      new ServiceConfig(FrameLimits.DEFAULT, 60_000, 10_000);

  public ServiceConfig {
    if (maxOpenWaitMs < 0 || maxOpenWaits < 0) {
      throw new IllegalArgumentException("bounds of waits must not be negative");
    }
  }
}
