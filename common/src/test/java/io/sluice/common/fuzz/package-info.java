/** Fuzz tests of the decoders of all modules. */
package io.sluice.common.fuzz;
