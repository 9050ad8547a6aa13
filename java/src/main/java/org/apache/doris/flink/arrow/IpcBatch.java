package org.apache.doris.flink.arrow;

import org.apache.doris.flink.error.ErrorCode;
import org.apache.doris.flink.error.NativeException;
import org.apache.flink.annotation.Internal;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.lang.ref.Cleaner;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;

/**
 * One record batch in native memory, and its owner. The code that takes it from the scan releases
 * it, on the thread that reads it: after {@link #release} every access to it or to a vector over it
 * is an exception, while values that were returned on the heap (strings, bytes, decimals) stay.
 *
 * <p>The memory of a batch that was never released is freed by {@link NativeCleaner}, counted in
 * {@link #leaked()} and logged. It watches the body's buffer, which every view of it keeps
 * reachable, so it never frees under a reader.
 */
@Internal
public final class IpcBatch {
    private static final Logger LOG = LoggerFactory.getLogger(IpcBatch.class);
    private static final AtomicLong LEAKED = new AtomicLong();

    private final IpcHeader header;
    private final int rows;
    private final Memory memory;
    private final BinaryRows binaryRows;
    private final Cleaner.Cleanable cleanable;

    /** What the cleaner watches. */
    private ByteBuffer root;

    private ByteBuffer body;
    private List<View> views = new ArrayList<>();

    /** Something that reads the body and must forget it when the batch is released. */
    public interface View {
        /** Drops every buffer; later accesses throw {@link #released()}. */
        void detach();
    }

    /** The rows of a batch in Flink's binary format. Used by the thread that reads the batch. */
    public interface BinaryRows {

        /** Where each row ends, in bytes from the start of the first. */
        int[] ends() throws NativeException;

        /** Rows from {@code first} on, one after the other; {@link #ends} comes first. */
        byte[] encode(int first, int count) throws NativeException;
    }

    private IpcBatch(
            IpcHeader header, int rows, ByteBuffer body, Memory memory, BinaryRows binaryRows) {
        this.header = header;
        this.binaryRows = binaryRows;
        this.rows = rows;
        this.root = body;
        this.body = body.asReadOnlyBuffer().order(ByteOrder.LITTLE_ENDIAN);
        this.memory = memory;
        this.cleanable = NativeCleaner.register(body, memory);
    }

    /**
     * Takes over a batch. When this throws, nothing was taken over and the caller frees.
     *
     * @param header the IPC message header, read here once
     * @param body the IPC message body
     * @param rows number of rows by the producer
     * @param free frees the memory under both buffers; must not refer to them
     * @param binaryRows the same rows in Flink's format
     * @throws NativeException with {@link ErrorCode#DATA} when the header is damaged
     */
    public static IpcBatch create(
            ByteBuffer header, ByteBuffer body, long rows, Runnable free, BinaryRows binaryRows)
            throws NativeException {
        if (header == null || body == null) {
            throw new NativeException(ErrorCode.INTERNAL, "the native library returned no buffers");
        }
        IpcHeader parsed = IpcHeader.parse(header, body.remaining());
        if (parsed.rows() != rows) {
            throw IpcHeader.corrupt(
                    "its header has " + parsed.rows() + " rows where " + rows + " were announced");
        }
        return new IpcBatch(parsed, parsed.rows(), body, new Memory(free), binaryRows);
    }

    /** Batches that were never released and were freed by the garbage collector. */
    public static long leaked() {
        return LEAKED.get();
    }

    /** How many rows there are; also after the release. */
    public int rows() {
        return rows;
    }

    public IpcHeader header() {
        return header;
    }

    /**
     * The rows in Flink's binary format, for scans whose rows have no array, map or row in them.
     * What it gives are copies; it must not be called after the release.
     */
    public BinaryRows binaryRows() {
        return binaryRows;
    }

    /** Whether the memory was freed. */
    public boolean isReleased() {
        return body == null;
    }

    /** Frees the memory; a second call does nothing. */
    public void release() {
        synchronized (this) {
            if (body == null) {
                return;
            }
            root = null;
            body = null;
            views.forEach(View::detach);
            views = null;
        }
        memory.orderly = true;
        cleanable.clean();
    }

    /**
     * A read-only little-endian view of one buffer of the body. Its holder must be {@link #attach
     * attached}.
     */
    public synchronized ByteBuffer buffer(int index) {
        if (body == null) {
            throw released();
        }
        ByteBuffer view = body.duplicate();
        view.position(body.position() + header.bufferOffset(index));
        view.limit(view.position() + header.bufferLength(index));
        return view.slice().order(ByteOrder.LITTLE_ENDIAN);
    }

    /** Notifies a view when the batch is released. */
    public synchronized void attach(View view) {
        if (body == null) {
            throw released();
        }
        views.add(view);
    }

    /** What every access after the release throws. */
    public static IllegalStateException released() {
        return new IllegalStateException(
                "a row was read after its batch had been released: copy rows that are kept");
    }

    /** Frees once, by release or by the cleaner. Refers to nothing of the batch. */
    private static final class Memory implements Runnable {
        private final Runnable free;
        private volatile boolean orderly;

        Memory(Runnable free) {
            this.free = free;
        }

        @Override
        public void run() {
            if (!orderly) {
                LEAKED.incrementAndGet();
                LOG.warn("A batch was never released; the garbage collector has freed its memory");
            }
            free.run();
        }
    }
}
