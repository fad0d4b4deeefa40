package io.sluice.server.memory;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.buffer.UnpooledDirectByteBuf;
import io.netty.buffer.UnpooledUnsafeDirectByteBuf;
import io.netty.util.internal.PlatformDependent;
import java.nio.ByteBuffer;

/** Wraps slabs as Netty buffers, whose last release frees the slab. */
final class SlabBuffers {
  private static final ByteBufAllocator ALLOCATOR = UnpooledByteBufAllocator.DEFAULT;

  private SlabBuffers() {}

  /**
   * Returns a buffer over {@code memory} with the writer index at its end, owned by the caller.
   *
   * @param onRelease called once, at the last release
   */
  static ByteBuf wrap(ByteBuffer memory, Runnable onRelease) {
    return PlatformDependent.hasUnsafe()
        ? new UnsafeSlab(memory, onRelease)
        : new PlainSlab(memory, onRelease);
  }

  private static final class UnsafeSlab extends UnpooledUnsafeDirectByteBuf {
    private final Runnable onRelease;

    UnsafeSlab(ByteBuffer memory, Runnable onRelease) {
      super(ALLOCATOR, memory, memory.remaining());
      this.onRelease = onRelease;
    }

    @Override
    protected void deallocate() {
      // The arena owns the memory: the superclass only drops its reference.
      super.deallocate();
      onRelease.run();
    }
  }

  private static final class PlainSlab extends UnpooledDirectByteBuf {
    private final Runnable onRelease;

    PlainSlab(ByteBuffer memory, Runnable onRelease) {
      super(ALLOCATOR, memory, memory.remaining());
      this.onRelease = onRelease;
    }

    @Override
    protected void deallocate() {
      super.deallocate();
      onRelease.run();
    }
  }
}
