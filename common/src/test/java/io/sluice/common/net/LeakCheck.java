package io.sluice.common.net;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.util.ResourceLeakDetector;
import io.netty.util.ResourceLeakDetectorFactory;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Fails a test class if a Netty buffer was garbage-collected without being released. */
public final class LeakCheck implements BeforeAllCallback, AfterAllCallback {
  private static final Logger LOG = LoggerFactory.getLogger(LeakCheck.class);
  private static final int COLLECTIONS = 4;

  @Override
  public void beforeAll(ExtensionContext context) {
    assertThat(ResourceLeakDetector.getLevel()).isEqualTo(ResourceLeakDetector.Level.PARANOID);
    // Without this class Netty uses its default detector, which only logs.
    assertThat(ResourceLeakDetectorFactory.instance().newResourceLeakDetector(ByteBuf.class))
        .as("leak detector; its class must be on the path of the system class loader")
        .isInstanceOf(RecordingLeakDetector.class);
    for (String leak : collect()) {
      LOG.warn("buffer leaked before this test class class={} leak={}", name(context), leak);
    }
  }

  @Override
  public void afterAll(ExtensionContext context) {
    assertThat(collect()).as("buffers leaked during %s", name(context)).isEmpty();
  }

  /** Leaks that were not reported yet; each is returned once. */
  static List<String> collect() {
    for (int i = 0; i < COLLECTIONS; i++) {
      System.gc();
      // Netty checks for collected buffers at each allocation.
      PooledByteBufAllocator.DEFAULT.directBuffer(64).release();
      PooledByteBufAllocator.DEFAULT.heapBuffer(64).release();
    }
    List<String> leaks = new ArrayList<>();
    for (String leak = RecordingLeakDetector.LEAKS.poll();
        leak != null;
        leak = RecordingLeakDetector.LEAKS.poll()) {
      leaks.add(leak);
    }
    return leaks;
  }

  private static String name(ExtensionContext context) {
    return context.getRequiredTestClass().getSimpleName();
  }
}
