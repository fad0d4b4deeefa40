package io.sluice.demo;

import io.sluice.demo.staging.DemoException;
import io.sluice.demo.staging.Side;
import java.io.IOException;

/**
 * Results of the same work with the built-in shuffle and through Sluice.
 *
 * @param own with the engine's built-in shuffle
 */
public record ComparedResults<T>(T own, T sluice) {

  /** The work of one side. */
  @FunctionalInterface
  public interface Turn<T> {
    T take(Side side) throws DemoException, IOException, InterruptedException;
  }

  /** Lets both sides work, one after the other. */
  public static <T> ComparedResults<T> inTurn(Side first, Turn<T> turn)
      throws DemoException, IOException, InterruptedException {
    T begun = turn.take(first);
    T other = turn.take(first == Side.OWN ? Side.SLUICE : Side.OWN);
    return first == Side.OWN
        ? new ComparedResults<>(begun, other)
        : new ComparedResults<>(other, begun);
  }
}
