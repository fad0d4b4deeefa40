package io.sluice.common.net;

import io.netty.util.ResourceLeakDetector;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

/**
 * Records leaks found by Netty for {@link LeakCheck}. Netty creates it if {@code
 * -Dio.netty.customResourceLeakDetector} names this class.
 */
public final class RecordingLeakDetector<T> extends ResourceLeakDetector<T> {
  /** Shared, because Netty creates one detector per type of resource. */
  static final Queue<String> LEAKS = new ConcurrentLinkedQueue<>();

  public RecordingLeakDetector(Class<?> resourceType, int samplingInterval) {
    super(resourceType, samplingInterval);
  }

  @SuppressWarnings("deprecation") // The signature that Netty looks for.
  public RecordingLeakDetector(Class<T> resourceType, int samplingInterval, long maxActive) {
    super(resourceType, samplingInterval, maxActive);
  }

  @Override
  protected boolean needReport() {
    return true;
  }

  @Override
  protected void reportTracedLeak(String resourceType, String records) {
    LEAKS.add(resourceType + records);
  }

  @Override
  protected void reportUntracedLeak(String resourceType) {
    LEAKS.add(resourceType);
  }
}
