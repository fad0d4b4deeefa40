package io.sluice.server.service;

import io.sluice.transport.protocol.FrameLimits;

/**
 * Limits of the data service.
 *
 * @param limits maximum frame sizes
 * @param maxOpenWaitMs maximum wait of an OPEN; longer waits are shortened to it
 * @param maxOpenWaits maximum number of concurrent waits; further OPENs are answered immediately
 */
public record ServiceConfig(FrameLimits limits, int maxOpenWaitMs, int maxOpenWaits) {
  public static final ServiceConfig DEFAULT =
      new ServiceConfig(FrameLimits.DEFAULT, 60_000, 10_000);

  public ServiceConfig {
    if (maxOpenWaitMs < 0 || maxOpenWaits < 0) {
      throw new IllegalArgumentException("limits of waits must not be negative");
    }
  }
}
