import { Sensor } from 'sonometer';

export const score: string = Sensor.shipped('courtesy').sense('text').score;
