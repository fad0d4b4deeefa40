package io.sluice.server.model;

import io.sluice.server.disk.PageCache;
import java.nio.channels.FileChannel;
import java.util.Random;

/** A page cache with random hits. */
final class ModelPageCache extends PageCache.Unknown {
  private final Random random;

  ModelPageCache(Random random) {
    this.random = random;
  }

  @Override
  public boolean isCached(FileChannel file, long position, int length) {
    return random.nextInt(3) == 0;
  }

  @Override
  public boolean load(FileChannel file, long position, int length) {
    return random.nextInt(3) == 0;
  }
}
