package io.sluice.server.control;

import java.util.Collection;
import java.util.List;

/**
 * The shuffles that the server holds, as far as control calls and leases need them. Thread-safe;
 * memory is freed before a call returns, files go later.
 */
public interface HeldShuffles {
  /** Applications with at least one shuffle. */
  List<String> applications();

  /**
   * Forgets some shuffles of an application.
   *
   * @return how many of them were there
   */
  int remove(String application, Collection<Integer> shuffles);

  /**
   * Forgets every shuffle of an application.
   *
   * @return how many there were
   */
  int removeAll(String application);
}
