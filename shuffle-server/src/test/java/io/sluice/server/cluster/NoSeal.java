package io.sluice.server.cluster;

import io.sluice.server.service.PushSeal;

/** For tests without pushes. */
final class NoSeal implements PushSeal {
  @Override
  public void seal() {}

  @Override
  public void unseal() {}
}
