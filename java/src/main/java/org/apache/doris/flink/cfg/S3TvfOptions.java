package org.apache.doris.flink.cfg;

import org.apache.doris.flink.config.option.SinkOptions;
import org.apache.flink.annotation.PublicEvolving;

import java.io.Serializable;

/**
 * The object storage that files are staged in when a sink writes with {@link
 * org.apache.doris.flink.sink.writer.WriteMode#TVF}. Not supported yet: a sink in that mode is
 * refused; with the other modes these values have no effect.
 */
@PublicEvolving
public class S3TvfOptions implements Serializable {

    private static final long serialVersionUID = 1L;

    private final ObjectValues values;

    private S3TvfOptions(Builder builder) {
        this.values = new ObjectValues(builder.values);
    }

    /** A builder without any value. */
    public static Builder builder() {
        return new Builder();
    }

    /** What was set. */
    ObjectValues values() {
        return values;
    }

    /** Address of the object storage; null for none. */
    public String getEndpoint() {
        return values.text(SinkOptions.S3_ENDPOINT);
    }

    /** Region of the bucket; null for none. */
    public String getRegion() {
        return values.text(SinkOptions.S3_REGION);
    }

    /** Bucket for staged files; null for none. */
    public String getBucket() {
        return values.text(SinkOptions.S3_BUCKET);
    }

    /** Folder for staged files, without glob characters; null for none. */
    public String getPrefix() {
        return values.text(SinkOptions.S3_PREFIX);
    }

    /** Access key; null for none. */
    public String getAccessKey() {
        return values.text(SinkOptions.S3_ACCESS_KEY);
    }

    /** Secret key in the clear; null for none. */
    public String getSecretKey() {
        return values.text(SinkOptions.S3_SECRET_KEY);
    }

    /** Whether the bucket stands in the path instead of the host name. */
    public boolean isPathStyleAccess() {
        return values.flag(SinkOptions.S3_PATH_STYLE_ACCESS);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof S3TvfOptions && values.equals(((S3TvfOptions) other).values);
    }

    @Override
    public int hashCode() {
        return values.hashCode();
    }

    /** Builds {@link S3TvfOptions}. */
    public static class Builder {

        private final ObjectValues values = new ObjectValues();

        /** Address of the object storage. */
        public Builder setEndpoint(String endpoint) {
            values.set(SinkOptions.S3_ENDPOINT, endpoint);
            return this;
        }

        /** Region of the bucket. */
        public Builder setRegion(String region) {
            values.set(SinkOptions.S3_REGION, region);
            return this;
        }

        /** Bucket for staged files. */
        public Builder setBucket(String bucket) {
            values.set(SinkOptions.S3_BUCKET, bucket);
            return this;
        }

        /** Folder for staged files, without glob characters. */
        public Builder setPrefix(String prefix) {
            values.set(SinkOptions.S3_PREFIX, prefix);
            return this;
        }

        /** Access key. */
        public Builder setAccessKey(String accessKey) {
            values.set(SinkOptions.S3_ACCESS_KEY, accessKey);
            return this;
        }

        /** Secret key in the clear. */
        public Builder setSecretKey(String secretKey) {
            values.set(SinkOptions.S3_SECRET_KEY, secretKey);
            return this;
        }

        /** Whether the bucket stands in the path instead of the host name; false by default. */
        public Builder setPathStyleAccess(boolean pathStyleAccess) {
            values.set(SinkOptions.S3_PATH_STYLE_ACCESS, pathStyleAccess);
            return this;
        }

        /** Makes the options. */
        public S3TvfOptions build() {
            return new S3TvfOptions(this);
        }
    }
}
