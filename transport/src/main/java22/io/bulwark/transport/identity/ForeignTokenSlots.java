package io.bulwark.transport.identity;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Calls the module itself (PKCS #11 2.40, sections 5.4 and 5.5), on platforms where CK_ULONG has 64 bits. Linked by name only, see
 * {@link TokenSlots#ofThisJava}.
 */
@SuppressWarnings("restricted")
final class ForeignTokenSlots implements TokenSlots {
    private static final long OK = 0;
    private static final long ALREADY_INITIALIZED = 0x191;
    private static final int SLOTS_MAX = 256;

    /** {@code CK_TOKEN_INFO} begins with the label, padded with blanks; the whole of it is shorter than this. */
    private static final int LABEL_BYTES = 32;

    private static final int TOKEN_INFO_BYTES = 512;

    @Override
    public long slotOf(Path module, String label) throws IOException {
        if (!Files.isRegularFile(module)) {
            throw new IOException("there is no PKCS#11 module " + module);
        }
        try (Arena arena = Arena.ofConfined()) {
            return new LoadedModule(arena, SymbolLookup.libraryLookup(module, arena)).find(label);
        } catch (IllegalArgumentException e) {
            throw new IOException("the PKCS#11 module " + module + " cannot be loaded: " + e.getMessage(), e);
        }
    }

    /** A loaded module, and the memory of the calls. */
    private record LoadedModule(Arena arena, SymbolLookup functions) {
        private long find(String label) throws IOException {
            FunctionDescriptor onPointer = FunctionDescriptor.of(ValueLayout.JAVA_LONG, ValueLayout.ADDRESS);
            long initialized = call("C_Initialize", onPointer, MemorySegment.NULL);
            if (initialized != OK && initialized != ALREADY_INITIALIZED) {
                throw failed("C_Initialize", initialized);
            }
            try {
                List<String> labels = new ArrayList<>();
                for (long slot : slots()) {
                    String found = labelOf(slot);
                    if (found.equals(label)) {
                        return slot;
                    }
                    labels.add(found);
                }
                throw new IOException("there is no token \"" + label + "\"; there are " + labels);
            } finally {
                if (initialized == OK) {
                    // The JDK's provider begins it anew, for many threads.
                    call("C_Finalize", onPointer, MemorySegment.NULL);
                }
            }
        }

        private long[] slots() throws IOException {
            MemorySegment count = arena.allocate(ValueLayout.JAVA_LONG);
            MemorySegment list = arena.allocate(ValueLayout.JAVA_LONG, SLOTS_MAX);
            count.set(ValueLayout.JAVA_LONG, 0, SLOTS_MAX);
            FunctionDescriptor form = FunctionDescriptor.of(
                    ValueLayout.JAVA_LONG, ValueLayout.JAVA_BYTE, ValueLayout.ADDRESS, ValueLayout.ADDRESS);
            long result = call("C_GetSlotList", form, (byte) 1, list, count);
            long found = count.get(ValueLayout.JAVA_LONG, 0);
            if (result != OK || found < 0 || found > SLOTS_MAX) {
                throw failed("C_GetSlotList", result);
            }
            return list.asSlice(0, found * ValueLayout.JAVA_LONG.byteSize()).toArray(ValueLayout.JAVA_LONG);
        }

        private String labelOf(long slot) throws IOException {
            MemorySegment info = arena.allocate(TOKEN_INFO_BYTES, ValueLayout.JAVA_LONG.byteAlignment());
            FunctionDescriptor form =
                    FunctionDescriptor.of(ValueLayout.JAVA_LONG, ValueLayout.JAVA_LONG, ValueLayout.ADDRESS);
            long result = call("C_GetTokenInfo", form, slot, info);
            if (result != OK) {
                return ""; // Another token than the wanted one may be out of order.
            }
            byte[] label = info.asSlice(0, LABEL_BYTES).toArray(ValueLayout.JAVA_BYTE);
            return new String(label, StandardCharsets.UTF_8).stripTrailing();
        }

        private long call(String function, FunctionDescriptor form, Object... arguments) throws IOException {
            MemorySegment address = functions
                    .find(function)
                    .orElseThrow(() -> new IOException("the PKCS#11 module has no function " + function));
            MethodHandle handle = Linker.nativeLinker().downcallHandle(address, form);
            try {
                return (long) handle.invokeWithArguments(arguments);
            } catch (Throwable e) {
                throw new IOException(function + " of the PKCS#11 module failed", e);
            }
        }

        private static IOException failed(String function, long code) {
            return new IOException(function + " of the PKCS#11 module answers 0x" + Long.toHexString(code));
        }
    }
}
