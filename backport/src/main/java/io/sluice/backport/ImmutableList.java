package io.sluice.backport;

import java.io.Serializable;
import java.util.AbstractList;
import java.util.Objects;
import java.util.RandomAccess;

/** List without null elements that cannot change. */
final class ImmutableList<E> extends AbstractList<E> implements RandomAccess, Serializable {
  private static final long serialVersionUID = 0;

  /** The list is serializable if its elements are. */
  private final Object[] elements;

  /**
   * @param elements takes
   */
  ImmutableList(Object[] elements) {
    for (Object element : elements) {
      Objects.requireNonNull(element);
    }
    this.elements = elements;
  }

  @Override
  @SuppressWarnings("unchecked") // All elements were given as E.
  public E get(int index) {
    return (E) elements[index];
  }

  @Override
  public int size() {
    return elements.length;
  }

  @Override
  public Object[] toArray() {
    return elements.clone();
  }
}
