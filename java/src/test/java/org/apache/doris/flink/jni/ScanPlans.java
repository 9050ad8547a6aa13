package org.apache.doris.flink.jni;

import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;

/** Makes plans as the native library would send them. */
public final class ScanPlans {

    private ScanPlans() {}

    /** A plan of tablets with their back ends. */
    public static ScanPlan of(Map<Long, List<String>> tablets) throws IOException {
        return plan(true, tablets);
    }

    /** The plan of a view. */
    public static ScanPlan withoutTablets() throws IOException {
        return plan(false, Map.of());
    }

    private static ScanPlan plan(boolean hasTablets, Map<Long, List<String>> tablets)
            throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        DataOutputStream out = new DataOutputStream(bytes);
        out.writeByte(hasTablets ? 1 : 0);
        out.writeInt(tablets.size());
        for (Map.Entry<Long, List<String>> tablet : tablets.entrySet()) {
            out.writeLong(tablet.getKey());
            texts(out, tablet.getValue());
        }
        texts(out, List.of());
        return ScanPlan.decode(bytes.toByteArray());
    }

    private static void texts(DataOutputStream out, List<String> texts) throws IOException {
        out.writeInt(texts.size());
        for (String text : texts) {
            byte[] utf8 = text.getBytes(StandardCharsets.UTF_8);
            out.writeInt(utf8.length);
            out.write(utf8);
        }
    }
}
