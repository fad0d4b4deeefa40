/** Makes threads; starts none. */
package io.sluice.common.threads;
